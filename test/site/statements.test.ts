// Statements: for the account only, agreeing with its entries to the nano over random months, with names and tax ids.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readStatement, STATEMENT_LINES, taxIn } from '../../src/accounts/statements.ts';
import { clientOf } from '../admin/console/operator-client.ts';
import { adminApiOf } from '../support/admin-api.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import { createSiteClient } from './site-client.ts';

const DAY = 86_400_000;
const clock = createShiftedClock({ standsStill: true });
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ clock });
  gateway.upstream.otherwise(chatAnswer());
});
afterAll(() => gateway.stop());

async function signedIn(key: string, language = 'en') {
  const client = createSiteClient(gateway, language);
  await client.post('/account/sign-in', { key });
  return client;
}

const monthOf = (at: number) => new Date(at + 8 * 3_600_000).toISOString().slice(0, 7);

test('the sums of every month agree with the entries to the nano, over a random history', async () => {
  const { key, accountId } = await gateway.register();
  const { store } = gateway.gateway;
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
  const begin = clock.now();
  for (let step = 0; step < 120; step++) {
    const at = begin + random(120) * DAY + random(8_000_000);
    const given = { accountId, reference: `ref-${step}`, reason: 'history', at };
    const amount = BigInt(1 + random(8_000_000)) * 997n;
    if (step % 5 === 0) await store.commit('credit', { ...given, amount, kind: 'topup' });
    else if (step % 5 === 1) await store.commit('credit', { ...given, amount });
    else if (step % 5 === 2) await store.commit('refund', { ...given, amount });
    else if (step % 5 === 3)
      await store.commit('payout', { ...given, amount: amount / 9n + 1n, fee: BigInt(random(50)) });
    else await gateway.chat(key, { model: 'up-paid' });
  }
  const later = { now: () => begin + 130 * DAY } as typeof clock;
  const entries = await store.read.entriesOf(accountId, 1_000);
  const months = [...new Set(entries.map(({ at }) => monthOf(at)))].toSorted();
  expect(months.length).toBeGreaterThan(3);
  let balance = 0n;
  for (const month of months) {
    const statement = await readStatement({ store, clock: later }, accountId, month);
    if (!statement) throw new Error(`no statement of ${month}`);
    const own = entries.filter(({ at }) => monthOf(at) === month);
    const change = own.reduce((sum, entry) => sum + (entry.credit === accountId ? entry.amount : -entry.amount), 0n);
    expect(statement.opening).toBe(balance);
    expect(statement.closing).toBe(balance + change);
    expect(STATEMENT_LINES.reduce((sum, line) => sum + statement.lines[line], 0n)).toBe(change);
    const sumOf = (kind: string) =>
      own.filter((entry) => entry.kind === kind).reduce((sum, entry) => sum + entry.amount, 0n);
    expect(statement.lines.refunds).toBe(sumOf('refund'));
    expect(-statement.lines.payouts).toBe(sumOf('payout'));
    expect(-statement.lines.usage).toBe(sumOf('usage'));
    expect(statement.lines.paid_in).toBe(sumOf('topup'));
    balance += change;
  }
  expect(balance).toBe((await store.read.wallet(accountId))?.balance ?? -1n);
  expect(gateway.audit()).toEqual([]);
});

describe('the pages', () => {
  test('show the month with its refund and the tax, in both languages, as CSV and for the operator', async () => {
    const { key, accountId } = await gateway.register();
    await gateway.chat(key, { model: 'up-paid' });
    const api = adminApiOf(gateway);
    await api('POST', `/accounts/${accountId}/refund`, { amount_ntd: '0.25', reason: '=cmd()' });
    await api('POST', `/accounts/${accountId}/credit`, { amount_ntd: 1, reason: 'SECRET-NOTE', kind: 'topup' });
    const month = monthOf(clock.now());
    for (const [language, words] of [
      ['en', ['Opening balance', 'Refunds', 'include 5% tax', 'up-paid']],
      ['zh-TW', ['期初餘額', '退款', '含稅', 'up-paid']],
    ] as const) {
      const client = await signedIn(key, language);
      expect(await (await client.get('/account/statements')).text()).toContain(`/account/statements/${month}`);
      const html = await (await client.get(`/account/statements/${month}`)).text();
      for (const word of words) expect(html).toContain(word);
      expect(html).not.toContain('SECRET-NOTE');
    }
    const client = await signedIn(key);
    const file = await client.get(`/account/statements/${month}/file`);
    expect(file.headers.get('content-disposition')).toContain(`statement_${month}.csv`);
    const csv = await file.text();
    expect(csv).toContain('\r\nrefunds,,,0.25\r\n');
    expect(csv).toMatch(/\r\nmodel,up-paid,1,-0\.\d+\r\n/);
    expect(csv).not.toMatch(/,=cmd/);
    expect(csv).not.toContain('SECRET-NOTE');
    const operator = await clientOf(gateway);
    expect(await (await operator.get(`/accounts/${accountId}/statements/${month}`)).text()).toContain(accountId);
    expect((await operator.get(`/accounts/${accountId}/statements/${month}/file`)).status).toBe(200);
    expect((await api('GET', `/accounts/${accountId}/statements/${month}`)).body.lines).toMatchObject({
      refunds_ntd: 0.25,
    });
  });

  test('are for the account alone and for months it had', async () => {
    const { key, accountId } = await gateway.register();
    const client = await signedIn(key);
    for (const month of ['2020-01', '2999-01', '2026-13', 'x', '..%2f']) {
      expect([month, (await client.get(`/account/statements/${month}`)).status]).toEqual([month, 404]);
    }
    const narrow = await createKey(gateway, key, { name: 'narrow', daily_budget_ntd: 1 });
    const limited = await signedIn(narrow.key);
    expect((await limited.get('/account/statements')).status).toBe(403);
    expect((await limited.get(`/account/statements/${monthOf(clock.now())}`)).status).toBe(403);
    expect((await limited.post('/account/statements', { billing_name: 'x', tax_id: '' })).status).toBe(403);
    const stranger = createSiteClient(gateway, 'en');
    expect(await (await stranger.get('/account/statements')).text()).not.toContain(accountId);
  });

  test('name the customer, by the customer or the operator; a wrong tax id comes back as typed', async () => {
    const { key, accountId } = await gateway.register();
    const client = await signedIn(key);
    const refused = await client.post('/account/statements', { billing_name: 'Shop', tax_id: '12345678' });
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('value="12345678"')]);
    const saved = await client.post('/account/statements', { billing_name: '<b>小店</b>', tax_id: '04595257' });
    expect([saved.status, saved.headers.get('location')]).toEqual([303, '/account/statements']);
    const page = `/account/statements/${monthOf(clock.now())}`;
    const html = await (await client.get(page)).text();
    expect(html).toContain('04595257');
    expect(html).toContain('&lt;b&gt;小店');
    const api = adminApiOf(gateway);
    expect((await api('PUT', `/accounts/${accountId}/billing`, { name: 'Firm', tax_id: '1' })).status).toBe(400);
    expect((await api('PUT', `/accounts/${accountId}/billing`, { name: 'Firm Ltd' })).status).toBe(200);
    expect((await api('PUT', '/accounts/acc_none/billing', { name: 'Firm' })).status).toBe(404);
    const changed = await (await client.get(page)).text();
    expect([changed.includes('Firm Ltd'), changed.includes('04595257')]).toEqual([true, false]);
    const [action] = (await api('GET', `/actions?subject=${accountId}`)).body.data;
    expect(action).toMatchObject({ action: 'accounts.billing', detail: { has_name: true, has_tax_id: false } });
    expect(gateway.log.text()).not.toContain('Firm Ltd');
  });
});

test('amounts are rounded with the exact one as title, and a button prints', async () => {
  const { key, accountId } = await gateway.register();
  const given = { accountId, amount: 12_345_678_901n, reference: 'exact', reason: 'r', at: clock.now() };
  await gateway.gateway.store.commit('credit', { ...given, kind: 'topup' });
  const html = await (await (await signedIn(key)).get(`/account/statements/${monthOf(clock.now())}`)).text();
  const shown = html.replaceAll(/<[^>]*>/g, ' ');
  expect(html).toContain('<span class="good" title="+NT$12.345678901">+NT$12.35</span>');
  expect(html).toContain('title="NT$13.345678901">NT$13.35</span>');
  expect(shown).not.toContain('12.345678901');
  expect(html).toContain('<button type="button" data-print="true" hidden="">Print or save as PDF</button>');
});

test('tax in an amount that includes it is rounded to the nearest nano', () => {
  expect([taxIn(105n, 5), taxIn(10n, 5), taxIn(11n, 5), taxIn(0n, 5), taxIn(100n, 0)]).toEqual([5n, 0n, 1n, 0n, 0n]);
});

test('the file has every entry of a month, and the page says that it shows the first', async () => {
  const { key, accountId } = await gateway.register();
  const { store } = gateway.gateway;
  const at = clock.now();
  const count = 450;
  await Promise.all(
    Array.from({ length: count - 1 }, (_, number) =>
      // Of the same time, and in another order than their numbers.
      store.commit('credit', {
        accountId,
        amount: 1n,
        reference: `many-${number}`,
        reason: 'r',
        at: at + (number % 3),
      }),
    ),
  );
  const client = await signedIn(key);
  const path = `/account/statements/${monthOf(at)}`;
  expect(await (await client.get(path)).text()).toContain('The first 100 are shown.');
  const lines = (await (await client.get(`${path}/file`)).text()).split('\r\n');
  const references = lines.flatMap((line) => /^entry:\w+,[^,]*,([^,]+),/.exec(line)?.[1] ?? []);
  expect(references).toHaveLength(count);
  expect(new Set(references).size).toBe(count);
  const shown = (await adminApiOf(gateway)('GET', `/accounts/${accountId}/statements/${monthOf(at)}`)).body;
  expect([shown.entries.length, shown.has_more_entries]).toEqual([200, true]);
  const few = await gateway.register();
  expect(await (await (await signedIn(few.key)).get(path)).text()).not.toContain('are shown.');
});

test('the price list says that tax is included only where the issuer has configured it', async () => {
  const own = await startTestGateway();
  try {
    for (const tax of [8, 0]) {
      await own.apply((standard) => ({ ...standard, issuer: { tax } }));
      for (const [language, text] of [
        ['en', 'They include 8% tax.'],
        ['zh-TW', '價格均含稅（8%）。'],
      ] as const) {
        const client = createSiteClient(own, language);
        for (const accept of ['text/html', 'text/plain']) {
          const shown = await (await client.get('/pricing', { accept })).text();
          expect([tax, accept, shown.includes(text), /tax|稅/.test(shown)]).toEqual([tax, accept, tax > 0, tax > 0]);
        }
      }
    }
  } finally {
    await own.stop();
  }
});
