// An upstream that quotes its caller in a refusal: the caller's words decide nothing about the channel.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, errorScript } from '../support/openai-chat.ts';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const ask = () => gateway.chat(account.key, { model: 'up-paid' });

test.each([
  "Invalid value: 'billing lookup, usage limit' for tools[0].function.name",
  "Invalid value: 'Your organization must be verified to stream this model.'",
])('a refusal that mentions our account is the client’s to mend, and the channel goes on: %s', async (message) => {
  gateway.upstream.next(errorScript(400, { message, param: 'tools' }));
  expect((await ask()).status).toBe(400);
  gateway.upstream.next(chatAnswer());
  expect((await ask()).status).toBe(200);
  expect(gateway.log.alarms('upstream_refused_our_key')).toEqual([]);
});

test('the vendor’s own sentence about our account is our problem, not the client’s', async () => {
  const message = 'Your credit balance is too low to access the API.';
  gateway.upstream.otherwise(errorScript(400, { message }));
  const response = await ask();
  expect(response.status).toBe(502);
  expect(await response.text()).not.toContain('credit');
  expect(gateway.log.alarms('upstream_refused_our_key').length).toBeGreaterThan(0);
  gateway.upstream.reset();
  gateway.upstream.next(chatAnswer());
  expect((await ask()).status).toBe(200);
});
