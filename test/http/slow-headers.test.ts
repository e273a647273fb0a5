// Clients that send their headers slowly, to keep a connection busy: they are cut. All of them at once, because the server
// takes its time.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { dial as dialPort, type Line, trickle } from '../support/dial.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { startSlowClient } from '../support/slow-client.ts';

// The server has a time of its own for the first headers, about ten seconds; it counts in steps of four.
const IDLE = { idleSeconds: 1 };
const WITHIN_MS = 60_000;
const BODY = '{"model":"auto:free","messages":[{"role":"user","content":"x"}]}';

let gateway: TestGateway;
const lines = new Set<Line>();
beforeAll(async () => {
  gateway = await startTestGateway(IDLE);
});
afterAll(async () => {
  for (const line of lines) line.hangUp();
  await gateway.stop();
});

async function dial(): Promise<Line> {
  const line = await dialPort(gateway.port);
  lines.add(line);
  return line;
}

test.concurrent('headers that trickle are cut, though a byte comes every moment; nothing is answered, and others are served meanwhile', async () => {
  const { key } = await gateway.register();
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`;
  const line = await dial();
  line.write(head);
  const trickling = trickle(line, `x-slow: ${'a'.repeat(1_000)}`);
  expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(200);
  await eventually('the line to be cut', () => line.isClosed(), WITHIN_MS);
  await trickling;
  expect(line.text()).toBe('');
  expect((await gateway.get('/api/usage', key)).data).toHaveLength(1);
});

test.concurrent('a first line that never ends, and a connection that says nothing, are cut, too', async () => {
  const both = [await dial(), await dial()];
  const trickling = trickle(both[0] as Line, `GET /${'a'.repeat(1_000)}`);
  await eventually('the lines to be cut', () => both.every((line) => line.isClosed()), WITHIN_MS);
  await trickling;
  expect(both.map((line) => line.text())).toEqual(['', '']);
});

test.concurrent('they do not shorten a stream that is quiet, or a body that is on its way', async () => {
  const { key } = await gateway.register();
  gateway.upstream.next(
    { ...chatAnswer(), body: [9_000, ...(chatAnswer().body ?? [])] },
    {
      ...chatStream(),
      body: [...(chatStream().body ?? []).slice(0, 2), 9_000, ...(chatStream().body ?? []).slice(2)],
    },
  );
  const body = { model: 'up-paid', max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] };
  const call = { port: gateway.port, path: '/v1/chat/completions', key };
  const whole = startSlowClient({ ...call, body });
  await gateway.upstream.request(0);
  const stream = startSlowClient({ ...call, body: { ...body, stream: true } });
  const line = await dial();
  line.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${BODY.length}\r\n\r\n`,
  );
  await eventually('a whole answer', () => whole.text().includes('chat.completion'), WITHIN_MS);
  await eventually('the end of the stream', () => stream.text().includes('[DONE]'), WITHIN_MS);
  line.write(BODY);
  await eventually('the answer to the late body', () => line.text().startsWith('HTTP/1.1 200'), WITHIN_MS);
  whole.hangUp();
  stream.hangUp();
});
