// Refunds and payouts by form: of a request on its page, others asked first; booked once, and called by their names.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { formatNtd, parseNtd } from '../../../src/kit/money.ts';
import { createSiteClient, type SiteClient } from '../../site/site-client.ts';
import { adminApiOf } from '../../support/admin-api.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { clientOf, fieldOf } from './operator-client.ts';

let gateway: TestGateway;
let client: SiteClient;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway();
  client = await clientOf(gateway);
  account = await gateway.register();
  gateway.upstream.otherwise(chatAnswer());
});
afterAll(() => gateway.stop());

const pathOf = ({ accountId }: TestAccount) => `/accounts/${accountId}`;
const textOf = async (path: string, by = client) => (await by.get(path)).text();
const balanceOf = async (one: TestAccount) => (await gateway.get('/api/me', one.key)).balance_ntd;

describe('a refund', () => {
  test('of a request: on its page, with what it cost, booked once', async () => {
    const response = await gateway.chat(account.key, { model: 'up-paid' });
    const requestId = String(response.headers.get('x-request-id'));
    const { cost_nano: cost } = await gateway.get(`/api/receipts/${requestId}`, account.key);
    const request = `${pathOf(account)}/requests/${requestId}`;
    const page = await textOf(request);
    expect(await textOf(request, await clientOf(gateway, 'zh-TW'))).toContain('模型已回覆，收取輸入、推理與輸出的費用');
    const amount = fieldOf(page, 'amount');
    expect(parseNtd(amount)).toBe(BigInt(cost));
    const fields = { amount, reason: 'cut off', once: fieldOf(page, 'once') };
    const [done, repeated] = await Promise.all([1, 2].map(() => client.post(`${request}/refund`, fields)));
    expect([done?.status, done?.headers.get('location')]).toEqual([303, request]);
    expect([repeated?.status, await repeated?.text()]).toEqual([409, expect.stringContaining('Nothing was changed')]);
    const after = await textOf(request);
    expect(after).toContain('was refunded.');
    expect(after).toContain('All of what this request cost was refunded.');
    expect(after).not.toContain(`action="${request}/refund"`);
    expect(await balanceOf(account)).toBe(1);
    expect(await textOf(`${pathOf(account)}/ledger`)).toContain('>Refund</span>');
  });

  test('of a part of a request leaves the rest in the form; more than the rest is refused', async () => {
    const response = await gateway.chat(account.key, { model: 'up-paid' });
    const requestId = String(response.headers.get('x-request-id'));
    const request = `${pathOf(account)}/requests/${requestId}`;
    const page = await textOf(request);
    const whole = fieldOf(page, 'amount');
    const { balance_nano: before } = await gateway.get('/api/me', account.key);
    const send = (fields: Record<string, string>, from: string) =>
      client.post(`${request}/refund`, { ...fields, once: fieldOf(from, 'once') });
    const tooMuch = await send({ amount: '50', reason: 'r' }, page);
    const shown = await tooMuch.text();
    expect([tooMuch.status, shown]).toEqual([409, expect.stringContaining('more than what is left')]);
    expect([fieldOf(shown, 'amount'), fieldOf(shown, 'reason')]).toEqual(['50', 'r']);
    const part = formatNtd((parseNtd(whole) ?? 0n) - 1n);
    expect((await send({ amount: part, reason: 'r' }, shown)).status).toBe(303);
    const rest = await textOf(request);
    expect(fieldOf(rest, 'amount')).toBe('0.000000001');
    expect((await send({ amount: whole, reason: 'r' }, rest)).status).toBe(409);
    for (const wrong of [{ amount: '' }, { amount: '-1', reason: 'r' }, { amount: '1' }] as Record<string, string>[]) {
      const refused = await send(wrong, await textOf(request));
      expect([refused.status, (await refused.text()).includes('-fault"')]).toEqual([422, true]);
    }
    expect(
      (await client.post(`${pathOf(account)}/requests/req_none/refund`, { amount: '1', reason: 'r' })).status,
    ).toBe(404);
    const { balance_nano: after } = await gateway.get('/api/me', account.key);
    expect(BigInt(after) - BigInt(before)).toBe(parseNtd(part) ?? 0n);
    expect(gateway.audit()).toEqual([]);
  });

  test('of a free request is not offered', async () => {
    const free = await gateway.chat(account.key, { model: 'auto:free' });
    await free.text();
    const request = `${pathOf(account)}/requests/${free.headers.get('x-request-id')}`;
    expect(await textOf(request)).not.toContain(`action="${request}/refund"`);
  });

  test('of an unknown card or of nothing typed is refused on the form', async () => {
    const before = await balanceOf(account);
    const fields = { card: 'SNNONE', amount: '5', reason: 'r' };
    const asked = await (await client.post(`${pathOf(account)}/refund/review`, fields)).text();
    const unknown = await client.post(`${pathOf(account)}/refund/do`, { ...fields, once: fieldOf(asked, 'once') });
    expect(unknown.status).toBe(404);
    for (const fields of [{ amount: '' }, { amount: '-1', reason: 'r' }, { amount: '1' }] as Record<string, string>[]) {
      const refused = await client.post(`${pathOf(account)}/refund/review`, fields);
      expect([refused.status, (await refused.text()).includes('-fault"')]).toEqual([422, true]);
    }
    expect((await client.get('/accounts/acc_none/refund')).status).toBe(404);
    const hostile = await client.post(`${pathOf(account)}/refund/review`, {
      amount: '1',
      reason: '<script>x</script>',
    });
    expect(await hostile.text()).not.toContain('<script>x');
    expect(await balanceOf(account)).toBe(before);
    expect(gateway.audit()).toEqual([]);
  });

  test('is called so for the customer, in both languages', async () => {
    for (const [language, word] of [
      ['en', 'Refund'],
      ['zh-TW', '退款'],
    ] as const) {
      const customer = createSiteClient(gateway, language);
      await customer.post('/account/sign-in', { key: account.key });
      expect(await textOf('/account', customer)).toContain(word);
    }
  });
});

describe('a payout', () => {
  test('shows what can be paid out, asks, and is booked once with its fee', async () => {
    const payee = await gateway.register();
    expect(await textOf(`${pathOf(payee)}/payout`)).toContain('Nothing can be paid out now.');
    const topUp = { amount_ntd: 40, reason: 'transfer', kind: 'topup' };
    await adminApiOf(gateway)('POST', `${pathOf(payee)}/credit`, topUp);
    const form = await textOf(`${pathOf(payee)}/payout`);
    expect(fieldOf(form, 'amount')).toBe('40');
    const review = (fields: Record<string, string>) => client.post(`${pathOf(payee)}/payout/review`, fields);
    expect((await review({ amount: '30', fee: 'x', reason: 'closed' })).status).toBe(422);
    const fields = { amount: '30', fee: '10', reason: 'closed' };
    const asked = await (await review(fields)).text();
    expect(asked).toContain('With the fee of NT$10.00, NT$40.00 leaves the balance.');
    const above = await review({ ...fields, fee: '10.000000001' });
    expect([above.status, await above.text()]).toEqual([409, expect.stringContaining('more than can be paid out')]);
    const more = { amount: '1', reason: 'closed' };
    const again = fieldOf(await (await review(more)).text(), 'once');
    const confirmed = { ...fields, once: fieldOf(asked, 'once') };
    const done = await client.post(`${pathOf(payee)}/payout/do`, confirmed);
    expect([done.status, await balanceOf(payee)]).toEqual([303, 1]);
    expect(await textOf(pathOf(payee))).toContain('The payout of NT$30.00 is booked.');
    expect((await client.post(`${pathOf(payee)}/payout/do`, confirmed)).status).toBe(409);
    const refused = await client.post(`${pathOf(payee)}/payout/do`, { ...more, once: again });
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('more than can be paid out')]);
    expect(gateway.audit()).toEqual([]);
  });
});
