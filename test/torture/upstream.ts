// An upstream for the torture: quick, always willing, and it remembers for whom it worked.

export interface TortureUpstream {
  baseUrl: string;
  /** How many answers were begun for a paid model, by the account named in the prompt. */
  begun: ReadonlyMap<string, number>;
  total(): number;
  stop(): void;
}

interface Pace {
  pieces: number;
  pauseMs: number;
}

const QUICK: Pace = { pieces: 6, pauseMs: 4 };
/** By the model's id: streams that last about a second, and longer than a drain of the tests. */
const PACES: Readonly<Record<string, Pace>> = {
  second: { pieces: 20, pauseMs: 50 },
  long: { pieces: 500, pauseMs: 50 },
};

export function startTortureUpstream(): TortureUpstream {
  const begun = new Map<string, number>();
  let total = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const body = (await request.json()) as { stream?: boolean; model: string; messages: Message[] };
      const account = textOf(body.messages[0]).split(' ')[0] ?? '';
      total++;
      if (body.model !== 'free') begun.set(account, (begun.get(account) ?? 0) + 1);
      const usage = { prompt_tokens: 11, completion_tokens: 5 + (total % 90), total_tokens: 16 + (total % 90) };
      const head = { id: `chatcmpl-${total}`, created: 1_790_000_000, model: body.model };
      if (!body.stream) {
        await Bun.sleep(QUICK.pauseMs);
        const message = { role: 'assistant', content: 'tortured' };
        const choices = [{ index: 0, message, finish_reason: 'stop' }];
        return Response.json({ ...head, object: 'chat.completion', choices, usage });
      }
      return new Response(stream(head, usage, PACES[body.model] ?? QUICK), {
        headers: { 'content-type': 'text/event-stream' },
      });
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    begun,
    total: () => total,
    stop: () => void server.stop(true),
  };
}

interface Message {
  content: string | { text?: string }[];
}

function textOf(message: Message | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : (content[0]?.text ?? '');
}

function stream(head: object, usage: object, { pieces, pauseMs }: Pace): ReadableStream {
  const encoder = new TextEncoder();
  const event = (data: string) => encoder.encode(`data: ${data}\n\n`);
  const chunk = (rest: object) => event(JSON.stringify({ ...head, object: 'chat.completion.chunk', ...rest }));
  let piece = 0;
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(pauseMs);
      if (piece++ < pieces) {
        const delta = { role: 'assistant', content: `word${piece} ` };
        controller.enqueue(chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
        return;
      }
      controller.enqueue(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
      controller.enqueue(chunk({ choices: [], usage }));
      controller.enqueue(event('[DONE]'));
      controller.close();
    },
  });
}
