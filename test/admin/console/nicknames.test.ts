// Where an account is shown, the operator sees what it is called, its id and a link to its page.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { SiteClient } from '../../site/site-client.ts';
import { adminApiOf } from '../../support/admin-api.ts';
import { closeCall, loss } from '../../support/close-call.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { clientOf } from './operator-client.ts';

let gateway: TestGateway;
let client: SiteClient;
let account: TestAccount;
let requestId: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  client = await clientOf(gateway);
  account = await gateway.register();
  const { store } = gateway.gateway;
  const losses = { items: [loss()], guard: null };
  ({ requestId } = await closeCall(store, account, { cost: 5_000n, losses }));
  await store.recordAlarm({ name: 'account_losses', fields: { account_id: account.accountId } }, Date.now());
  await adminApiOf(gateway)('PATCH', `/accounts/${account.accountId}`, { nickname: 'Corner <shop>' });
});
afterAll(() => gateway.stop());

test.each([
  ['profit by customer', () => '/ledger/profit?by=account'],
  ['losses by account', () => '/ledger/losses?by=account'],
  ['open alarms', () => '/alarms'],
  ['single alarms', () => '/alarms?all'],
  ['a request', () => `/accounts/${account.accountId}/requests/${requestId}`],
])('%s', async (_, path) => {
  const html = await (await client.get(path())).text();
  const link = html.split('<a ').find((part) => part.includes('Corner &lt;shop&gt;</a>'));
  expect(link).toContain(`href="/accounts/${account.accountId}"`);
  expect(link).toContain('class="nickname"');
  expect(link?.includes(`title="${account.accountId}"`) || link?.includes(`>${account.accountId}<`)).toBe(true);
});
