// Where a webhook may go: the public internet, by TLS, unless the operator allows more.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let gateway: TestGateway;
let receiver: WebhookReceiver;
let account: TestAccount;
beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startTestGateway();
  account = await gateway.register();
});
afterAll(async () => {
  await gateway.stop();
  await receiver.stop();
});

const add = async (url: string): Promise<{ status: number; json: Answer }> => {
  const response = await gateway.call('/api/webhooks', { key: account.key, body: { url } });
  return { status: response.status, json: await response.json() };
};

test.each(['http://example.com/', 'https://127.0.0.1/', 'https://localhost/', 'https://[::1]/', 'https://10.0.0.1/'])(
  '%s is refused',
  async (url) => {
    expect(await add(url)).toMatchObject({ status: 400, json: { error: { code: 'invalid_request', param: 'url' } } });
  },
);

test('a private address is not called, however it came into the database', async () => {
  const { json } = await add('https://example.com/');
  const { accountId } = account;
  const { port } = new URL(receiver.url);
  for (const url of [receiver.url, `https://127.0.0.1:${port}/`, `https://localhost:${port}/`]) {
    await gateway.gateway.store.commit('changeWebhook', {
      accountId,
      webhookId: json.id,
      changes: { url },
      at: Date.now(),
    });
    const response = await gateway.call(`/api/webhooks/${json.id}/test`, { key: account.key, method: 'POST' });
    const tested: Answer = await response.json();
    expect(tested).toMatchObject({ delivered: false, status: null });
    expect(tested.error).toMatch(/only https|not on the public internet/);
  }
  expect(receiver.received).toHaveLength(0);
});
