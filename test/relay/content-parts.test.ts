// Upstreams that answer in parts instead of one text: an answer like any other, and billed like one.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

test('an answer in parts has output, and its usage is charged', async () => {
  const message = { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] };
  gateway.upstream.next(chatAnswer({ extra: { choices: [{ index: 0, message, finish_reason: 'stop' }] } }));
  const response = await gateway.chat(account.key, { model: 'up-paid' });
  expect(response.status).toBe(200);
  expect(Number(response.headers.get('x-svc-cost-ntd'))).toBeGreaterThan(0);
});
