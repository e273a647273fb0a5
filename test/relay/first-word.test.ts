// The first word of a stream goes out by itself, also if the upstream sent everything in one piece.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { dial } from '../support/dial.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatChunks, sseText } from '../support/openai-chat.ts';

const PIECES = ['Alpha', ' beta', ' gamma', ' delta'];
const WHOLE = [...chatChunks({ pieces: PIECES }).map((chunk) => JSON.stringify(chunk)), '[DONE]'].map(sseText).join('');

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

/** The pieces in which the body was sent: each has its length before it. */
function sentPieces(text: string): string[] {
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  return body.split(/\r\n[0-9a-f]+\r\n/).map((piece) => piece.replace(/^[0-9a-f]+\r\n/, ''));
}

test('the first word does not wait for those that came with it, which go out together', async () => {
  const { key } = await gateway.register();
  gateway.upstream.next({ headers: { 'content-type': 'text/event-stream' }, framing: 'chunked', body: [WHOLE] });
  const line = await dial(gateway.port);
  const body = JSON.stringify({
    model: 'up-free',
    stream: true,
    max_tokens: 20,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${body.length}\r\n\r\n`;
  await line.write(head + body);
  const text = await eventually('the end of the stream', () => line.text().includes('[DONE]') && line.text());
  const [first, second] = sentPieces(text);
  line.hangUp();
  expect(first).toContain('Alpha');
  expect(first).not.toContain('beta');
  for (const piece of PIECES.slice(1)) expect(second).toContain(piece);
});
