// Whether the shop earns, as the operator sees it: from calls through the relay to the API, its CSV and the metrics.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { dayText } from '../../../src/admin/actions/ledger.ts';
import { DAY_MS } from '../../../src/kit/clock.ts';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import type { Answer } from '../../support/answer.ts';
import { closeCall, loss } from '../../support/close-call.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer, chatStream } from '../../support/openai-chat.ts';
import { operatorOf } from '../../support/operator.ts';
import { createShiftedClock } from '../../support/shifted-clock.ts';
import { UP_PRICES, upModel } from '../../support/test-document.ts';

/** NT$ per 1M tokens, which is a thousandth of that in nano-NT$ per token. */
const COST = { input: 6, cached_input: 1, output: 20 };
const USAGE = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
const CHARGED = 100n * UP_PRICES.input + 50n * UP_PRICES.output;
const BILLED = 100n * 6_000n + 50n * 20_000n;
/** Of an answer without output, which is free. */
const EMPTY = 100n * 6_000n;

let gateway: TestGateway;
let api: AdminApi;
let one: TestAccount;
let two: TestAccount;
let today: number;
let clock: ReturnType<typeof createShiftedClock>;

beforeAll(async () => {
  clock = createShiftedClock({ standsStill: true });
  gateway = await startTestGateway({
    clock,
    document: (doc) => ({
      ...doc,
      models: [
        ...doc.models,
        upModel('costed', {
          price: { input: 10, output: 40.123 },
          routes: [{ channel: 'up', model: 'x', cost: COST }],
        }),
        upModel('given', { price: 'free', routes: [{ channel: 'up', model: 'x', cost: COST }] }),
      ],
    }),
  });
  api = adminApiOf(gateway);
  [one, two] = [await gateway.register(), await gateway.register()];
  today = taipeiDay(clock.now());
  const call = async ({ key }: TestAccount, model: string, stream = false) => {
    gateway.upstream.next(stream ? chatStream({ usage: USAGE }) : chatAnswer({ usage: USAGE }));
    const response = await gateway.chat(key, { model, max_tokens: 60, stream });
    expect(response.status).toBe(200);
    await response.text();
  };
  await call(one, 'costed');
  await call(one, 'costed', true);
  await call(one, 'up-paid');
  await call(one, 'given');
  await call(two, 'costed');
  for (const model of ['costed', 'given']) {
    gateway.upstream.next(chatAnswer({ usage: { ...USAGE, completion_tokens: 0, total_tokens: 100 }, pieces: [] }));
    await (await gateway.chat(two.key, { model, max_tokens: 60 })).text();
  }
  const { store } = gateway.gateway;
  await closeCall(store, two, { cost: 5_000n, at: clock.now() - 6 * DAY_MS });
  await closeCall(store, two, { cost: 9_000n, at: clock.now() - 7 * DAY_MS, losses: { items: [loss()], guard: null } });
});
afterAll(() => gateway.stop());

const money = (name: string, nano: bigint | null) => ({
  [`${name}_ntd`]: nano === null ? null : Number(nano) / 1e9,
  [`${name}_nano`]: nano === null ? null : nano.toString(),
});
const ask = async (query = ''): Promise<Answer> => (await api('GET', `/profit${query}`)).body;
const rowOf = ({ data }: Answer, key: string | null) => data.find((row: Answer) => row.key === key);

test('by model and of seven days, if nothing is asked for', async () => {
  const answer = await ask();
  expect(answer).toMatchObject({ object: 'list', by: 'model', days: 7, from: dayText(today - 6), to: dayText(today) });
  expect(answer.data.map(({ key }: Answer) => key)).toEqual(['costed', 'up-paid', 'given']);
  expect(rowOf(answer, 'costed')).toEqual({
    key: 'costed',
    requests: 4,
    ...money('revenue', 3n * CHARGED),
    ...money('cost', 3n * BILLED),
    ...money('loss', EMPTY),
    ...money('profit', 3n * CHARGED - 3n * BILLED - EMPTY),
    margin: Number(((3n * CHARGED - 3n * BILLED - EMPTY) * 10_000n) / (3n * CHARGED)) / 10_000,
    unknown_cost_requests: 0,
    ...money('unknown_cost_revenue', 0n),
  });
});

test('a route without a cost has no profit and no margin, and its revenue counts toward none', async () => {
  const answer = await ask();
  const revenue = CHARGED + 5_000n;
  expect(rowOf(answer, 'up-paid')).toEqual({
    key: 'up-paid',
    requests: 2,
    ...money('revenue', revenue),
    ...money('cost', null),
    ...money('loss', 0n),
    ...money('profit', null),
    margin: null,
    unknown_cost_requests: 2,
    ...money('unknown_cost_revenue', revenue),
  });
  const { total } = answer;
  const lost = BigInt(total.loss_nano);
  expect(total).toMatchObject({
    unknown_cost_requests: 2,
    ...money('unknown_cost_revenue', revenue),
    ...money('profit', 3n * CHARGED - 3n * BILLED - lost),
  });
});

test('what a free model costs is a loss, and no cost', async () => {
  expect(rowOf(await ask(), 'given')).toMatchObject({
    requests: 2,
    ...money('revenue', 0n),
    ...money('cost', 0n),
    ...money('loss', BILLED + EMPTY),
    ...money('profit', -BILLED - EMPTY),
    margin: null,
  });
});

test('cost and losses together are what the upstream bills, by whatever they are summed', async () => {
  // Three answers, one of a free model, two that were empty; the unknown ones are at no cost.
  const billed = 4n * BILLED + 2n * EMPTY;
  for (const by of ['model', 'channel', 'account', 'day']) {
    const { data, total } = await ask(`?by=${by}`);
    const sum = (name: string) => data.reduce((all: bigint, row: Answer) => all + BigInt(row[name] ?? 0), 0n);
    expect(sum('cost_nano') + sum('loss_nano')).toBe(billed);
    expect(BigInt(total.cost_nano) + BigInt(total.loss_nano)).toBe(billed);
    expect(sum('revenue_nano')).toBe(4n * CHARGED + 5_000n);
    expect(String(sum('revenue_nano'))).toBe(total.revenue_nano);
  }
});

test('every day is there, in order; more days have more', async () => {
  const week = await ask('?by=day');
  expect(week.data.map(({ key }: Answer) => key)).toEqual(Array.from({ length: 7 }, (_, n) => dayText(today - 6 + n)));
  expect(week.data[0]).toMatchObject({ requests: 1, revenue_nano: '5000', profit_nano: null });
  expect(week.data[1]).toMatchObject({ requests: 0, revenue_nano: '0', profit_nano: '0', margin: null });
  const month = await ask('?by=day&days=30');
  expect(month.data).toHaveLength(30);
  expect(month.data.at(-8)).toMatchObject({ requests: 1, revenue_nano: '9000', loss_nano: '300000000' });
});

test('by account and channel', async () => {
  const accounts = await ask('?by=account');
  expect(accounts.data.map(({ key }: Answer) => key)).toEqual([one.accountId, two.accountId]);
  expect(rowOf(accounts, two.accountId)).toMatchObject({ ...money('cost', BILLED) });
  expect(rowOf(await ask('?by=channel'), 'up')).toMatchObject({ requests: 8 });
});

test('as CSV, with amounts below 0 as numbers', async () => {
  const response = await operatorOf(gateway).call('/api/admin/profit?by=model&format=csv');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toContain(`profit-model-${dayText(today)}.csv`);
  const lines = (await response.text()).split('\r\n');
  expect(lines[0]).toBe(
    'model,requests,unknown_cost_requests,margin,revenue_ntd,revenue_nano,cost_ntd,cost_nano,loss_ntd,loss_nano,profit_ntd,profit_nano,unknown_cost_revenue_ntd,unknown_cost_revenue_nano',
  );
  const revenue = CHARGED + 5_000n;
  const amount = Number(revenue) / 1e9;
  expect(lines).toContain(`up-paid,2,2,,${amount},${revenue},,,0,0,,,${amount},${revenue}`);
  const lost = BILLED + EMPTY;
  expect(lines).toContain(`given,2,0,,0,0,0,0,${Number(lost) / 1e9},${lost},-${Number(lost) / 1e9},-${lost},0,0`);
});

test.each(['by=reason', 'days=8', 'days=x', 'format=xml'])('%s is refused', async (query) => {
  const { status, body } = await api('GET', `/profit?${query}`);
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', query.split('=')[0]]);
});

test('metrics have revenue and cost by model and channel, and what is unknown', async () => {
  const scrape = await operatorOf(gateway).scrape();
  const of = (name: string, model: string) => scrape.value(name, { model, channel: 'up' });
  expect(of('gateway_charged_ntd_total', 'costed')).toBeCloseTo((3 * Number(CHARGED)) / 1e9, 9);
  expect(of('gateway_upstream_cost_ntd_total', 'costed')).toBeCloseTo((3 * Number(BILLED)) / 1e9, 9);
  expect(of('gateway_unknown_cost_ntd_total', 'up-paid')).toBeCloseTo(Number(CHARGED) / 1e9, 9);
  expect(scrape.sum('gateway_upstream_cost_ntd_total')).toBeCloseTo((3 * Number(BILLED)) / 1e9, 9);
});

test('no customer sees what its calls cost us', async () => {
  const response = await gateway.call('/api/usage', { key: one.key });
  expect(await response.text()).not.toContain('upstream');
});

describe('cards', () => {
  test('what was paid in advance', async () => {
    const before = (await ask()).cards;
    expect(before).toMatchObject({ sold_nano: '0', redeemed_nano: '0', unredeemed_nano: '0', owed_nano: '0' });
    const issued = (await api('POST', '/cards', { amount_ntd: 100, count: 3 })).body;
    const [{ code }] = issued.cards;
    await gateway.call('/api/redeem', { key: two.key, body: { code } });
    expect((await ask()).cards).toMatchObject({
      ...money('sold', 300_000_000_000n),
      ...money('redeemed', 100_000_000_000n),
      ...money('unredeemed', 200_000_000_000n),
      // Trial credit counts as spent first.
      ...money('unspent', 100_000_000_000n),
      ...money('owed', 300_000_000_000n),
    });
  });
});

test('refunds of days whose usage is no longer kept reduce no total', async () => {
  const { store } = gateway.gateway;
  const { accountId } = two;
  const at = clock.now() - 20 * DAY_MS;
  const listed = async () => (await api('GET', `/accounts?q=${accountId}`)).body.data[0].profit_30d_nano;
  const before = { total: (await ask('?by=day&days=30')).total, profit: await listed() };
  await store.commit('refund', { accountId, amount: 3_000n, reference: 'an old refund', reason: 'r', at });
  const refunded = await ask('?by=day&days=30');
  expect(BigInt(refunded.total.revenue_nano)).toBe(BigInt(before.total.revenue_nano) - 3_000n);
  expect(await listed()).toBe(String(BigInt(before.profit) - 3_000n));
  await store.forgetUsage({ day: today - 10, limit: 1_000 });
  for (const days of [30, 90]) {
    const { data, total, from } = await ask(`?by=day&days=${days}`);
    expect(from).toBe(dayText(today - 10));
    expect(total).toEqual(before.total);
    const revenue = data.reduce((sum: bigint, row: Answer) => sum + BigInt(row.revenue_nano), 0n);
    expect(total.revenue_nano).toBe(String(revenue));
  }
  expect(await listed()).toBe(before.profit);
});
