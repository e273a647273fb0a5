// The upstream of `npm run bench:neighbour`, in both formats. The text of the prompt decides how it fails.

const COMMENTS = ': nothing\n'.repeat(100_000);
const CHUNK = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
const USAGE = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
const sse = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (content: string, finish: string | null) =>
  sse({ ...CHUNK, choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
const STREAM = delta('Hi', null) + delta('', 'stop') + sse({ ...CHUNK, choices: [], usage: USAGE }) + sse('[DONE]');
const ANSWER = {
  ...CHUNK,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: USAGE,
};
const EVENTS = { headers: { 'content-type': 'text/event-stream' } };

async function* slowly(): AsyncGenerator<string> {
  for (let n = 0; n < 100; n++) {
    yield delta('word ', null);
    await Bun.sleep(100);
  }
  yield delta('', 'stop') + sse('[DONE]');
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const text = await request.text();
    if (text.includes('provoke 403')) return Response.json({ error: { message: 'forbidden' } }, { status: 403 });
    if (text.includes('provoke 500')) return Response.json({ error: { message: 'failed' } }, { status: 500 });
    if (text.includes('send comments')) return new Response(COMMENTS + STREAM, EVENTS);
    if (text.includes('speak slowly')) return new Response(slowly() as never, EVENTS);
    return text.includes('"stream":true') ? new Response(STREAM, EVENTS) : Response.json(ANSWER);
  },
});
process.stdout.write(`${server.port}\n`);
