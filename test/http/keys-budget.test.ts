// A key's daily budget: spent + held + new hold never exceed it, to the nano; a day is Taipei's.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../src/kit/clock.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { passTime } from '../support/pass-time.ts';
import { UP_PRICES } from '../support/test-document.ts';

interface BudgetRow {
  spent_nano: bigint;
  held_nano: bigint;
}

const MIDNIGHT = Date.UTC(2026, 0, 15, 16);
let gateway: TestGateway;
let clock: ManualClock;
let account: TestAccount;

beforeAll(async () => {
  clock = createManualClock(MIDNIGHT - 3_600_000);
  gateway = await startTestGateway({ clock, limits: { in_flight: 1_000 } });
});
beforeEach(async () => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const withBudget = (budgetNano: bigint) =>
  createKey(gateway, account.key, { daily_budget_ntd: Number(budgetNano) / 1e9 });
const chat = (key: string, body: Record<string, unknown> = {}) => gateway.chat(key, { model: 'up-paid', ...body });
const pathsOf = ({ actions }: Answer) => actions.map(({ href }: Answer) => new URL(href).pathname);
const budgetOf = (id: string) =>
  gateway.sql<BudgetRow>('SELECT spent_nano, held_nano FROM budgets WHERE key_id = ?', id)[0];

/** What a call with so many output tokens holds: measured on a key that is not restricted. */
async function holdOf(maxTokens: number): Promise<bigint> {
  const { requests } = gateway.upstream;
  const gate = createGate();
  gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
  const running = chat(account.key, { max_tokens: maxTokens });
  await gateway.upstream.request(requests.length);
  const held = BigInt((await gateway.get('/api/me', account.key)).held_nano);
  gate.open();
  await (await running).text();
  return held;
}

describe('the budget', () => {
  test('admits what it exactly pays, and no nano less', async () => {
    const hold = await holdOf(100);
    const exact = await withBudget(hold);
    const response = await chat(exact.key, { max_tokens: 100 });
    expect(response.status).toBe(200);
    expect(response.headers.has('x-svc-max-tokens')).toBe(false);

    const short = await withBudget(hold - 1n);
    const clamped = await chat(short.key, { max_tokens: 100 });
    expect(clamped.status).toBe(200);
    expect(clamped.headers.get('x-svc-max-tokens')).toBe('99');
    expect(gateway.upstream.requests.at(-1)?.json.max_tokens).toBe(99);
    expect(gateway.audit()).toEqual([]);
  });

  test('clamps the output like the wallet does, down to 16 tokens, and then says what is missing', async () => {
    const hold16 = await holdOf(16);
    const least = await withBudget(hold16);
    const response = await chat(least.key, { max_tokens: 500 });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-max-tokens')).toBe('16');

    const less = await withBudget(hold16 - 1n);
    const refused = await chat(less.key, { max_tokens: 500 });
    expect(refused.status).toBe(402);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(((await refused.json()) as Answer).error).toMatchObject({
      code: 'key_budget_exceeded',
      type: 'insufficient_quota',
      needed_nano: hold16.toString(),
      available_nano: (hold16 - 1n).toString(),
      affordable_max_tokens: 15,
      resets_at: new Date(MIDNIGHT).toISOString(),
    });
    expect(budgetOf(less.id)).toEqual({ spent_nano: 0n, held_nano: 0n });
    expect(gateway.sql('SELECT * FROM usage_records WHERE key_id = ?', less.id)).toEqual([]);
  });

  test('counts what was charged, not what was held', async () => {
    const hold = await holdOf(100);
    const { id, key } = await withBudget(hold);
    const charged = 11n * UP_PRICES.input + 7n * UP_PRICES.output;
    expect((await chat(key, { max_tokens: 100 })).status).toBe(200);
    expect(budgetOf(id)).toEqual({ spent_nano: charged, held_nano: 0n });
    const next = await chat(key, { max_tokens: 100 });
    const affordable = (hold - charged - (hold - 100n * UP_PRICES.output)) / UP_PRICES.output;
    expect(next.headers.get('x-svc-max-tokens')).toBe(affordable.toString());
    expect(budgetOf(id)).toEqual({ spent_nano: 2n * charged, held_nano: 0n });
  });

  test('of NT$0 allows free models and nothing else', async () => {
    const { key } = await withBudget(0n);
    const refused = await chat(key);
    expect(refused.status).toBe(402);
    const { error } = (await refused.json()) as Answer;
    expect(error.message).toEndWith(' with a managing key, or use the free model auto:free.');
    expect(error.message).toContain('. Raise the budget to NT$');
    expect((await gateway.chat(key, error.actions[1].body)).status).toBe(200);
  });

  test('given to a key later counts what the key has spent today, also while it had none', async () => {
    const { id, key } = await createKey(gateway, account.key, {});
    const change = (daily_budget_ntd: number | null) =>
      gateway.call(`/api/keys/${id}`, { key: account.key, method: 'PATCH', body: { daily_budget_ntd } });
    const charged = 11n * UP_PRICES.input + 7n * UP_PRICES.output;
    for (let times = 0; times < 3; times++) expect((await chat(key, { max_tokens: 100 })).status).toBe(200);
    expect((await change(0.5)).status).toBe(200);
    expect(budgetOf(id)).toEqual({ spent_nano: 3n * charged, held_nano: 0n });
    await change(null);
    expect((await chat(key, { max_tokens: 100 })).status).toBe(200);
    await change(Number(4n * charged) / 1e9);
    expect(budgetOf(id)).toEqual({ spent_nano: 4n * charged, held_nano: 0n });
    expect((await chat(key, { max_tokens: 100 })).status).toBe(402);
    // Raised, it keeps what was counted.
    await change(0.5);
    expect(budgetOf(id)).toEqual({ spent_nano: 4n * charged, held_nano: 0n });
    expect(gateway.audit()).toEqual([]);
  });

  test('given to a key while it has calls under way counts what they hold and what they cost', async () => {
    const hold = await holdOf(100);
    const { requests } = gateway.upstream;
    const { id, key } = await createKey(gateway, account.key, {});
    const gate = createGate();
    gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
    const running = chat(key, { max_tokens: 100 });
    await gateway.upstream.request(requests.length);
    const body = { daily_budget_ntd: Number(hold + 1n) / 1e9 };
    await gateway.call(`/api/keys/${id}`, { key: account.key, method: 'PATCH', body });
    expect(budgetOf(id)).toEqual({ spent_nano: 0n, held_nano: hold });
    const another = chat(key, { max_tokens: 16 });
    let isAnswered = false;
    void another.then(() => {
      isAnswered = true;
    });
    await eventually('it has waited long enough', async () => {
      await clock.advance(100);
      return isAnswered;
    });
    const { error } = (await (await another).json()) as Answer;
    expect(error.code).toBe('balance_in_use');
    // No card helps.
    expect(pathsOf(error)).toEqual(['/api/me']);
    gate.open();
    expect((await running).status).toBe(200);
    const charged = 11n * UP_PRICES.input + 7n * UP_PRICES.output;
    expect(budgetOf(id)).toEqual({ spent_nano: charged, held_nano: 0n });
    expect(gateway.audit()).toEqual([]);
  });

  test('of a few nano is a budget, too', async () => {
    const { id } = await createKey(gateway, account.key, { daily_budget_ntd: 1.5e-7 });
    const { data } = await gateway.get('/api/keys', account.key);
    expect(data.find((one: Answer) => one.id === id).daily_budget_nano).toBe('150');
    const refused = await gateway.call('/api/keys', { key: account.key, body: { daily_budget_ntd: 1.5e-10 } });
    expect(refused.status).toBe(400);
  });

  test('gives back what a failed call held', async () => {
    gateway.upstream.otherwise({ status: 404, body: ['{}'] });
    const { id, key } = await withBudget(500_000_000n);
    expect((await chat(key, { max_tokens: 100 })).status).toBe(502);
    expect(budgetOf(id)).toEqual({ spent_nano: 0n, held_nano: 0n });
  });

  test('is the key’s own: another key of the account goes on', async () => {
    const { key } = await withBudget(0n);
    expect((await chat(key)).status).toBe(402);
    expect((await chat(account.key)).status).toBe(200);
  });

  test('is named before the wallet where both are too low: no card would help', async () => {
    const { id, key } = await createKey(gateway, account.key, { daily_budget_ntd: 0.5 });
    const refused = await chat(key, { messages: [{ role: 'user', content: 'x'.repeat(200_000) }] });
    expect(refused.status).toBe(402);
    const { error } = (await refused.json()) as Answer;
    expect(error).toMatchObject({ code: 'key_budget_exceeded', available_ntd: 0.5 });
    const chatPath = '/v1/chat/completions';
    expect(pathsOf(error)).toEqual([chatPath, `/api/keys/${id}`, chatPath, '/api/me']);
  });

  test('does not hide that the wallet is too low where the budget would do', async () => {
    const { key } = await createKey(gateway, account.key, { daily_budget_ntd: 100 });
    const refused = await chat(key, { messages: [{ role: 'user', content: 'x'.repeat(200_000) }] });
    expect(refused.status).toBe(402);
    expect(((await refused.json()) as Answer).error).toMatchObject({ code: 'insufficient_balance', available_ntd: 1 });
  });
});

test('a key is told what it spent of its budget today, what it holds, what is left, and when the day ends', async () => {
  const budget = 500_000_000n;
  const { key } = await withBudget(budget);
  const expectDay = async (spent: bigint, held: bigint) => {
    const left = budget - spent - held;
    expect((await gateway.get('/api/me', key)).key).toMatchObject({
      daily_budget_nano: budget.toString(),
      daily_spent_ntd: Number(spent) / 1e9,
      daily_spent_nano: spent.toString(),
      daily_held_ntd: Number(held) / 1e9,
      daily_held_nano: held.toString(),
      daily_left_ntd: Number(left) / 1e9,
      daily_left_nano: left.toString(),
      daily_resets_at: new Date(MIDNIGHT).toISOString(),
    });
  };
  await expectDay(0n, 0n);
  const charged = 11n * UP_PRICES.input + 7n * UP_PRICES.output;
  expect((await chat(key, { max_tokens: 100 })).status).toBe(200);
  await expectDay(charged, 0n);

  const hold = await holdOf(100);
  const gate = createGate();
  const { length } = gateway.upstream.requests;
  gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
  const running = chat(key, { max_tokens: 100 });
  await gateway.upstream.request(length);
  await expectDay(charged, hold);
  gate.open();
  await (await running).text();
  await expectDay(2n * charged, 0n);
});

test('a hundred racers never hold or spend more than the budget', async () => {
  const hold = await holdOf(50);
  const budget = hold * 7n;
  const { id, key } = await withBudget(budget);
  const gate = createGate();
  gateway.upstream.reset();
  gateway.upstream.otherwise(() => ({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] }));
  const racers = Array.from({ length: 100 }, () => chat(key, { max_tokens: 50 }));
  await eventually('the budget is held', () => budgetOf(id)?.held_nano === budget);
  await eventually('the admitted ones run', () => gateway.upstream.requests.length === 7);
  gate.open();
  let answered = 0;
  for (const racer of racers) void racer.then(() => answered++);
  await eventually('all are answered', async () => {
    await clock.advance(20);
    return answered === racers.length;
  });
  const responses = await Promise.all(racers);
  // What the first ones held and did not spend, others spend: all of it is used, and no more than there is.
  const served = responses.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThan(7);
  const refused = responses.filter(({ status }) => status === 402);
  expect(served.length + refused.length).toBe(100);
  for (const response of refused) {
    expect(['key_budget_exceeded', 'balance_in_use']).toContain(((await response.json()) as Answer).error.code);
  }
  const spent = BigInt(served.length) * (11n * UP_PRICES.input + 7n * UP_PRICES.output);
  expect(spent).toBeLessThanOrEqual(budget);
  expect(budgetOf(id)).toEqual({ spent_nano: spent, held_nano: 0n });
  expect(gateway.audit()).toEqual([]);
});

test('a new day in Taipei opens it again, at midnight and not before', async () => {
  const { key } = await withBudget((await holdOf(16)) + 1n);
  expect((await chat(key, { max_tokens: 16 })).status).toBe(200);
  expect((await chat(key, { max_tokens: 16 })).status).toBe(402);
  await passTime(gateway, clock, MIDNIGHT - clock.now() - 1);
  expect((await chat(key, { max_tokens: 16 })).status).toBe(402);
  const day = async () => {
    const { daily_spent_nano: spent, daily_resets_at: resetsAt } = (await gateway.get('/api/me', key)).key;
    return [BigInt(spent), Date.parse(resetsAt)];
  };
  const charged = 11n * UP_PRICES.input + 7n * UP_PRICES.output;
  expect(await day()).toEqual([charged, MIDNIGHT]);
  await clock.advance(1);
  expect(await day()).toEqual([0n, MIDNIGHT + DAY_MS]);
  expect((await chat(key, { max_tokens: 16 })).status).toBe(200);
  expect((await chat(key, { max_tokens: 16 })).status).toBe(402);
  // A clock that steps back over midnight does not bring yesterday's budget.
  clock.step(-1_000);
  expect((await chat(key, { max_tokens: 16 })).status).toBe(402);
  expect(await day()).toEqual([charged, MIDNIGHT + DAY_MS]);
});
