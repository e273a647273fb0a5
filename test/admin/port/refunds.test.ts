// Refunds and payouts through the operator's API and the command line: bounded, once, audited, and visible to the customer.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer } from '../../support/openai-chat.ts';

let gateway: TestGateway;
let api: AdminApi;
beforeAll(async () => {
  gateway = await startTestGateway();
  api = adminApiOf(gateway);
  gateway.upstream.otherwise(chatAnswer());
});
afterAll(() => gateway.stop());

async function redeemCard(account: TestAccount, kind: 'sold' | 'promo' = 'sold', amount = 100): Promise<string> {
  const { cards } = (await api('POST', '/cards', { amount_ntd: amount, count: 1, kind })).body;
  await gateway.call('/api/redeem', { key: account.key, body: { code: cards[0].code } });
  return cards[0].serial;
}

async function chat(account: TestAccount): Promise<{ requestId: string; cost: string }> {
  const response = await gateway.call('/v1/chat/completions', {
    key: account.key,
    body: { model: 'up-paid', messages: [{ role: 'user', content: 'hi' }] },
  });
  const requestId = String(response.headers.get('x-request-id'));
  await response.text();
  const { cost_nano } = await gateway.get(`/api/receipts/${requestId}`, account.key);
  return { requestId, cost: cost_nano };
}

const refundTo = ({ accountId }: TestAccount, body: object) => api('POST', `/accounts/${accountId}/refund`, body);
const payoutTo = ({ accountId }: TestAccount, body: object) => api('POST', `/accounts/${accountId}/payout`, body);
const walletOf = async ({ accountId }: TestAccount) => (await api('GET', `/accounts/${accountId}`)).body.wallet;

describe('a refund', () => {
  test('of a request returns what it cost, once, however often and however many ask', async () => {
    const account = await gateway.register();
    const { requestId, cost } = await chat(account);
    expect(BigInt(cost)).toBeGreaterThan(0n);
    const asked = { request_id: requestId, reason: 'the answer was cut' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => refundTo(account, asked)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
    const refused = answers.find(({ status }) => status === 409)?.body.error;
    expect(refused).toMatchObject({ code: 'above_charge', charged_nano: cost, refunded_nano: cost });
    expect(answers.find(({ status }) => status === 200)?.body).toMatchObject({ amount_nano: cost, balance_ntd: 1 });
    expect((await gateway.get('/api/me', account.key)).balance_ntd).toBe(1);
    const { entries } = (await api('GET', `/accounts/${account.accountId}`)).body;
    expect(entries[0]).toMatchObject({ kind: 'refund', refund_of: requestId, note: 'the answer was cut' });
    const { data } = await gateway.get('/api/events?type=refund.created', account.key);
    expect(data).toMatchObject([{ type: 'refund.created', data: { request_id: requestId, amount_nano: cost } }]);
    expect(await gateway.get(`/api/receipts/${requestId}`, account.key)).toMatchObject({ refunded_nano: cost });
    const actions = (await api('GET', `/actions?subject=${account.accountId}`)).body.data;
    expect(actions).toMatchObject([{ action: 'accounts.refund', detail: { request_id: requestId } }]);
    expect(gateway.audit()).toEqual([]);
  });

  test('can be of a part, of a card, or of an amount; each is bounded by what it is for', async () => {
    const account = await gateway.register();
    const serial = await redeemCard(account);
    const { requestId, cost } = await chat(account);
    const part = await refundTo(account, { request_id: requestId, amount_ntd: '0.000000001', reason: 'r' });
    expect(part.body).toMatchObject({ amount_nano: '1' });
    const more = { request_id: requestId, amount_ntd: '50', reason: 'r' };
    expect((await refundTo(account, more)).body.error).toMatchObject({ code: 'above_charge', charged_nano: cost });
    // The trial credit paid for the request: nothing of the card was spent.
    expect((await refundTo(account, { card: serial, amount_ntd: 60, reason: 'r' })).body.error).toMatchObject({
      code: 'above_spent',
      charged_ntd: 100,
      refunded_ntd: 0,
      spent_ntd: 0,
    });
    const promo = await redeemCard(account, 'promo', 100);
    const before = await walletOf(account);
    expect((await refundTo(account, { card: promo, amount_ntd: 60, reason: 'r' })).status).toBe(200);
    expect((await refundTo(account, { card: promo, amount_ntd: 60, reason: 'r' })).body.error).toMatchObject({
      code: 'above_charge',
      refunded_ntd: 60,
    });
    expect((await walletOf(account)).paid_nano).toBe(before.paid_nano);
    const once = { amount_ntd: 3, reason: 'r', once: 'a' };
    expect((await refundTo(account, once)).status).toBe(200);
    expect((await refundTo(account, once)).body.error.code).toBe('already_done');
    expect((await refundTo(account, { ...once, amount_ntd: 4 })).body.error.message).toContain('another amount');
    const other = { ...once, amount_ntd: 3, request_id: requestId };
    expect((await refundTo(account, other)).body.error.message).toContain('another request');
    expect(gateway.audit()).toEqual([]);
  });

  test('says what is wrong with a hostile or mistaken call, and moves nothing', async () => {
    const account = await gateway.register();
    const stranger = await gateway.register();
    const { requestId } = await chat(stranger);
    const serial = await redeemCard(stranger);
    const before = await walletOf(account);
    for (const [body, status] of [
      [{ request_id: requestId, reason: 'r' }, 404],
      [{ request_id: 'req_none', reason: 'r' }, 404],
      [{ request_id: "' OR 1=1 --", reason: 'r' }, 404],
      [{ card: serial, amount_ntd: 1, reason: 'r' }, 404],
      [{ card: serial, request_id: requestId, amount_ntd: 1, reason: 'r' }, 400],
      [{ reason: 'r' }, 400],
      [{ amount_ntd: 1 }, 400],
      [{ amount_ntd: 0, reason: 'r' }, 400],
      [{ amount_ntd: -1, reason: 'r' }, 400],
      [{ amount_ntd: '1e3', reason: 'r' }, 400],
      [{ amount_ntd: 1, reason: ' ' }, 400],
      [{ amount_ntd: 1, reason: 'a\u0000b' }, 400],
      [{ amount_ntd: 1, reason: 'r', account: 'x' }, 400],
    ] as const) {
      expect([body, (await refundTo(account, body)).status]).toEqual([body, status]);
    }
    expect(await walletOf(account)).toEqual(before);
    expect((await api('POST', '/accounts/acc_none/refund', { amount_ntd: 1, reason: 'r' })).status).toBe(404);
  });
});

describe('a payout', () => {
  test('is of paid balance only, with its fee, once; refusals say the figures', async () => {
    const account = await gateway.register();
    expect((await payoutTo(account, { amount_ntd: 0.5, reason: 'closing' })).body.error).toMatchObject({
      code: 'above_paid',
      payable_ntd: 0,
      paid_ntd: 0,
      held_ntd: 0,
      balance_ntd: 1,
    });
    await redeemCard(account, 'promo', 30);
    await redeemCard(account, 'sold', 100);
    await api('POST', `/accounts/${account.accountId}/credit`, { amount_ntd: 50, reason: 'transfer', kind: 'topup' });
    expect(await walletOf(account)).toMatchObject({ balance_ntd: 181, paid_ntd: 150 });
    await api('POST', `/accounts/${account.accountId}/freeze`, { reason: 'closing' });
    const body = { amount_ntd: 120, fee_ntd: 30, reason: 'closing', once: 'p1' };
    expect((await payoutTo(account, { ...body, fee_ntd: 30.5 })).body.error).toMatchObject({ payable_ntd: 150 });
    const both = await Promise.all([1, 2].map(() => payoutTo(account, body)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const other = await payoutTo(account, { ...body, fee_ntd: 20 });
    expect(other.body.error.message).toContain('another fee');
    expect(await walletOf(account)).toMatchObject({ balance_ntd: 31, paid_ntd: 0, frozen: true });
    const { credits } = (await api('GET', `/accounts/${account.accountId}`)).body;
    expect(credits.slice(0, 2).map(({ kind, amount_ntd }: Record<string, unknown>) => [kind, amount_ntd])).toEqual([
      ['payout_fee', 30],
      ['payout', 120],
    ]);
    for (const bad of [
      { ...body, once: 'p2', fee_ntd: -1 },
      { ...body, once: 'p3', amount_ntd: 0 },
      { ...body, once: 'p4', reason: '' },
    ]) {
      expect((await payoutTo(account, bad)).status).toBe(400);
    }
    expect((await api('POST', '/accounts/acc_none/payout', body)).status).toBe(400);
    expect((await api('POST', '/accounts/acc_none/payout', { ...body, once: 'p5' })).status).toBe(404);
    const names = (await api('GET', `/actions?subject=${account.accountId}`)).body.data.map(
      ({ action }: { action: string }) => action,
    );
    expect(names).toContain('accounts.payout');
    expect(gateway.audit()).toEqual([]);
  });
});

test('a payout from a wallet that the audit froze is refused until it is thawed', async () => {
  const account = await gateway.register();
  const { accountId } = account;
  await redeemCard(account);
  await gateway.gateway.store.commit('freeze', { accountId, frozen: true, byAudit: true, at: Date.now() });
  const refused = await payoutTo(account, { amount_ntd: 5, reason: 'closing' });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'frozen_by_audit']);
  expect(refused.body.error.message).toContain('unfreeze');
  expect(await walletOf(account)).toMatchObject({ balance_ntd: 101, frozen: true });
  await api('POST', `/accounts/${accountId}/thaw`, { reason: 'corrected' });
  expect((await payoutTo(account, { amount_ntd: 5, reason: 'closing' })).status).toBe(200);
});

test('an idempotency key moves money once, however many calls use it at the same time', async () => {
  const account = await gateway.register();
  await redeemCard(account);
  const path = `/accounts/${account.accountId}`;
  const body = { amount_ntd: 2, reason: 'transfer', once: 'at-once' };
  const answers = await Promise.all([
    api('POST', `${path}/credit`, body),
    api('POST', `${path}/credit`, { ...body, kind: 'topup' }),
    api('POST', `${path}/refund`, body),
    api('POST', `${path}/payout`, body),
  ]);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(3);
  for (const {
    status,
    body: { error },
  } of refused) {
    expect([status, error.message]).toEqual([400, expect.stringContaining('once was used for a')]);
  }
});

test('an idempotency key moves money once, whichever call it was used for', async () => {
  const account = await gateway.register();
  await redeemCard(account);
  const path = `/accounts/${account.accountId}`;
  const body = { amount_ntd: 2, reason: 'transfer', once: 'transfer-7' };
  expect((await api('POST', `${path}/credit`, body)).status).toBe(200);
  for (const [call, kind] of [
    ['credit', 'topup'],
    ['credit', 'refund'],
    ['refund', undefined],
    ['payout', undefined],
  ] as const) {
    const { status, body: refused } = await api('POST', `${path}/${call}`, { ...body, ...(kind && { kind }) });
    expect([call, kind, status, refused.error?.message]).toEqual([call, kind, 400, 'once was used for a credit']);
  }
  expect(await walletOf(account)).toMatchObject({ balance_ntd: 103, paid_ntd: 100 });
});
