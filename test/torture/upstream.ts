// An upstream for the torture: quick, always willing, and it remembers for whom it worked.

export interface TortureUpstream {
  baseUrl: string;
  /** How many answers were begun for a paid model, by the account named in the prompt. */
  begun: ReadonlyMap<string, number>;
  total(): number;
  stop(): void;
}

const PIECES = 6;
const PAUSE_MS = 4;

export function startTortureUpstream(): TortureUpstream {
  const begun = new Map<string, number>();
  let total = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const body = (await request.json()) as { stream?: boolean; model: string; messages: { content: string }[] };
      const account = body.messages[0]?.content.split(' ')[0] ?? '';
      total++;
      if (body.model === 'paid') begun.set(account, (begun.get(account) ?? 0) + 1);
      const usage = { prompt_tokens: 11, completion_tokens: 5 + (total % 90), total_tokens: 16 + (total % 90) };
      const head = { id: `chatcmpl-${total}`, created: 1_790_000_000, model: body.model };
      if (!body.stream) {
        await Bun.sleep(PAUSE_MS);
        const message = { role: 'assistant', content: 'tortured' };
        const choices = [{ index: 0, message, finish_reason: 'stop' }];
        return Response.json({ ...head, object: 'chat.completion', choices, usage });
      }
      return new Response(stream(head, usage), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    begun,
    total: () => total,
    stop: () => void server.stop(true),
  };
}

function stream(head: object, usage: object): ReadableStream {
  const encoder = new TextEncoder();
  const event = (data: string) => encoder.encode(`data: ${data}\n\n`);
  const chunk = (rest: object) => event(JSON.stringify({ ...head, object: 'chat.completion.chunk', ...rest }));
  let piece = 0;
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(PAUSE_MS);
      if (piece++ < PIECES) {
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
