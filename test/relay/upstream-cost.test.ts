// What an upstream says that a call cost us stands in the log, for the operator's margin; clients see what they saw before.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import type { LogLine } from '../support/log-capture.ts';
import { chatAnswer, chatStream, SCRIPTED_USAGE } from '../support/openai-chat.ts';

let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

async function call(path: string, cost: unknown, stream: boolean) {
  const options = { usage: { ...SCRIPTED_USAGE, cost } };
  gateway.upstream.next(stream ? chatStream(options) : chatAnswer(options));
  const body = { model: 'up-paid', max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }], stream };
  const response = await gateway.call(path, { key: account.key, body });
  const text = await response.text();
  expect(response.status).toBe(200);
  const id = response.headers.get('x-request-id');
  const isOwn = ({ event, request_id }: LogLine) => event === 'request' && request_id === id;
  return { text, line: await eventually('its line in the log', () => gateway.log.lines().find(isOwn)) };
}

test.each([
  ['/v1/chat/completions', false],
  ['/v1/chat/completions', true],
  ['/v1/messages', false],
  ['/v1/messages', true],
] as const)('%s, streamed: %p', async (path, stream) => {
  const { line, text } = await call(path, 0.0123, stream);
  expect(line).toMatchObject({ upstream_cost: '0.0123', cost_nano: expect.any(String) });
  const isShown = path === '/v1/chat/completions' && !stream;
  expect(text.includes('0.0123')).toBe(isShown);
});

test.each([undefined, null, -1, '0.5', 'words', {}])('%p is none', async (cost) => {
  expect((await call('/v1/chat/completions', cost, false)).line).not.toHaveProperty('upstream_cost');
});
