// Credit beyond what the ledger can count, and credit that is asked for again.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { MAX_NANO } from '../../../src/kit/money.ts';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import { closeCall } from '../../support/close-call.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';

let gateway: TestGateway;
let api: AdminApi;
beforeAll(async () => {
  gateway = await startTestGateway();
  api = adminApiOf(gateway);
});
afterAll(() => gateway.stop());

test('a wallet that is as full as it can be is not filled further', async () => {
  const account = await gateway.register();
  const { accountId } = account;
  const credit = () =>
    api('POST', `/accounts/${accountId}/credit`, { amount_ntd: '100000000', reason: 'a slip of the hand' });
  const balance = async () => (await api('GET', `/accounts/${accountId}`)).body.wallet.balance_nano;
  for (let credits = 0; credits < 92; credits++) expect((await credit()).status).toBe(200);
  const full = await balance();
  const refused = await credit();
  expect([refused.status, refused.body.error.param]).toEqual([400, 'amount']);
  expect(await balance()).toBe(full);
  // A refund without an amount is as much as its request cost.
  const at = Date.now();
  const { requestId } = await closeCall(gateway.gateway.store, account, { cost: 500_000_000n, at });
  const left = MAX_NANO - BigInt(await balance());
  await gateway.gateway.store.commit('credit', { accountId, amount: left, reference: 'to the top', reason: 'r', at });
  const refund = await api('POST', `/accounts/${accountId}/refund`, { request_id: requestId, reason: 'r' });
  expect([refund.status, refund.body.error.param]).toEqual([400, 'amount']);
});

test('a word that credited once is known however much was done since, and whosever it was', async () => {
  const credit = { amount_ntd: 3, reason: 'paid by hand', once: 'invoice-7' };
  const { accountId } = await gateway.register();
  const give = (id: string, changed = {}) => api('POST', `/accounts/${id}/credit`, { ...credit, ...changed });
  expect((await give(accountId)).status).toBe(200);
  for (let credits = 0; credits < 51; credits++) await give(accountId, { once: `later-${credits}` });
  const again = await give(accountId);
  expect([again.status, again.body.error.code]).toEqual([409, 'already_done']);
  const other = await give((await gateway.register()).accountId);
  expect([other.status, other.body.error.param]).toEqual([400, 'once']);
  expect(other.body.error.message).toContain('another account');
  const more = await give(accountId, { amount_ntd: 4 });
  expect([more.status, more.body.error.param]).toEqual([400, 'once']);
});
