// Credit beyond what the ledger can count.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type AdminApi, adminApiOf } from '../support/admin-api.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let api: AdminApi;
beforeAll(async () => {
  gateway = await startTestGateway();
  api = adminApiOf(gateway);
});
afterAll(() => gateway.stop());

test('a wallet that is as full as it can be is not filled further', async () => {
  const { accountId } = await gateway.register();
  const credit = () =>
    api('POST', `/accounts/${accountId}/credit`, { amount_ntd: '100000000', reason: 'a slip of the hand' });
  const balance = async () => (await api('GET', `/accounts/${accountId}`)).body.wallet.balance_nano;
  for (let credits = 0; credits < 92; credits++) expect((await credit()).status).toBe(200);
  const full = await balance();
  const refused = await credit();
  expect([refused.status, refused.body.error.param]).toEqual([400, 'amount']);
  expect(await balance()).toBe(full);
});
