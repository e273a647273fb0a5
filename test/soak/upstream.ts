// The upstream of the soak: it answers chats at once or in pieces, and sometimes fails or breaks off. It keeps nothing.

export interface SoakUpstream {
  baseUrl: string;
  stop(): void;
}

const PIECES = 8;
const PIECE_MS = 4;
const FAILS_EVERY = 37;
const BREAKS_EVERY = 41;
const USAGE = { prompt_tokens: 11, completion_tokens: 9, total_tokens: 20 };

export function startSoakUpstream(): SoakUpstream {
  let count = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const asked = (await request.json()) as { stream?: boolean; model: string };
      // The gateway keeps no idle connection, so that every descriptor it has is accounted for.
      const headers = { connection: 'close' };
      if (++count % FAILS_EVERY === 0) return Response.json({ error: { message: 'busy' } }, { status: 500, headers });
      const head = { id: `chatcmpl-${count}`, created: 1_790_000_000, model: asked.model };
      if (asked.stream) {
        const body = streamOf(answerParts(head, count % BREAKS_EVERY === 0));
        return new Response(body, { headers: { ...headers, 'content-type': 'text/event-stream' } });
      }
      const message = { role: 'assistant', content: 'Hello there' };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return Response.json({ ...head, object: 'chat.completion', choices, usage: USAGE }, { headers });
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}/v1`, stop: () => void server.stop(true) };
}

function streamOf(parts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}

async function* answerParts(head: object, breaks: boolean): AsyncGenerator<string> {
  const chunk = (rest: object) => `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...rest })}\n\n`;
  for (let piece = 0; piece < PIECES; piece++) {
    await Bun.sleep(PIECE_MS);
    if (breaks && piece === PIECES / 2) return;
    yield chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'word ' }, finish_reason: null }] });
  }
  yield chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  yield chunk({ choices: [], usage: USAGE });
  yield 'data: [DONE]\n\n';
}
