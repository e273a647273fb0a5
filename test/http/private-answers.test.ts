// What an account is told is for its caller alone: whatever the API answers about it, no cache keeps.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createKey } from '../support/create-key.ts';
import { type CallOptions, startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';

let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

async function expectPrivate(path: string, status: number, options: CallOptions = {}): Promise<void> {
  const response = await gateway.call(path, { key: account.key, ...options });
  await response.bytes();
  const { headers } = response;
  expect([path, response.status, headers.get('cache-control')]).toEqual([path, status, 'no-store']);
}

test('account, usage as JSON and as CSV, receipts', async () => {
  const answer = await gateway.chat(account.key, { model: 'demo-small' });
  await answer.bytes();
  await expectPrivate('/api/me', 200);
  await expectPrivate('/api/usage', 200);
  await expectPrivate('/api/usage?format=csv', 200);
  await expectPrivate(`/api/receipts/${answer.headers.get('x-request-id')}`, 200);
});

test('keys: listed, made, changed, rotated, deleted', async () => {
  const { id } = await createKey(gateway, account.key);
  await expectPrivate('/api/keys', 200);
  await expectPrivate('/api/keys', 201, { method: 'POST', body: {} });
  await expectPrivate(`/api/keys/${id}`, 200, { method: 'PATCH', body: { name: 'ci' } });
  await expectPrivate(`/api/keys/${id}/rotate`, 200, { method: 'POST', body: {} });
  await expectPrivate(`/api/keys/${id}`, 200, { method: 'DELETE' });
});

test('a repeated call, a card, a new account', async () => {
  const again: CallOptions = { method: 'POST', body: {}, headers: { 'idempotency-key': 'the same call' } };
  await expectPrivate('/api/keys', 201, again);
  await expectPrivate('/api/keys', 201, again);
  const { code } = await issueCard(gateway);
  await expectPrivate('/api/redeem', 200, { body: { code } });
  await expectPrivate('/api/agent/register', 201, { body: {} });
});
