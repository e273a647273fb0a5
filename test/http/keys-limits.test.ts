// Budgets and rates of a key through the API: what is set, changed, removed and shown, and what is refused.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { UP_PRICES } from '../support/test-document.ts';

/** Noon in Taipei on the 20th of May. */
const clock = createManualClock(Date.UTC(2026, 4, 20, 4));
const CHARGED = 11n * UP_PRICES.input + 7n * UP_PRICES.output;
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway({ clock });
});
beforeEach(async () => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const create = (body: unknown) => gateway.call('/api/keys', { key: account.key, body });
const patch = (id: string, body: unknown) =>
  gateway.call(`/api/keys/${id}`, { key: account.key, method: 'PATCH', body });
const shown = async (id: string): Promise<Answer> =>
  (await gateway.get('/api/keys', account.key)).data.find((key: Answer) => key.id === id);
const NONE = { day_ntd: null, day_nano: null, month_ntd: null, month_nano: null } as const;
const NO_BUDGETS = { ...NONE, total_ntd: null, total_nano: null, session_ntd: null, session_nano: null };
const NO_RATES = { requests_per_minute: null, tokens_per_minute: null, in_flight: null };

describe('a key', () => {
  test('has no budgets and rates unless they are given', async () => {
    const { id } = await createKey(gateway, account.key);
    expect(await shown(id)).toMatchObject({
      budgets: NO_BUDGETS,
      rates: NO_RATES,
      delegate: false,
      parent_id: null,
      depth: 0,
    });
  });

  test('shows what it was given, to the last digit', async () => {
    const response = await create(
      '{"budgets":{"day_ntd":0.123456789,"month_ntd":2,"total_ntd":9223372036.854775807,"session_ntd":0},"rates":{"requests_per_minute":60,"tokens_per_minute":100000,"in_flight":3}}',
    );
    expect(response.status).toBe(201);
    const made: Answer = await response.json();
    const expected = {
      budgets: {
        ...{ day_ntd: 0.123456789, day_nano: '123456789', month_ntd: 2, month_nano: '2000000000' },
        ...{ total_ntd: 9223372036.854776, total_nano: '9223372036854775807', session_ntd: 0, session_nano: '0' },
      },
      rates: { requests_per_minute: 60, tokens_per_minute: 100_000, in_flight: 3 },
      daily_budget_ntd: 0.123456789,
      daily_budget_nano: '123456789',
    };
    expect(made).toMatchObject(expected);
    expect(await shown(made.id)).toMatchObject(expected);
  });

  test('keeps the members that a change leaves out, and null removes one or all', async () => {
    const budgets = { day_ntd: 1, month_ntd: 2, total_ntd: 3 };
    const { id } = await createKey(gateway, account.key, { budgets, rates: { in_flight: 2 } });
    const changed: Answer = await (await patch(id, { budgets: { month_ntd: 5, day_ntd: null } })).json();
    expect(changed.budgets).toMatchObject({ day_ntd: null, month_ntd: 5, total_ntd: 3, session_ntd: null });
    expect(changed.rates).toEqual({ ...NO_RATES, in_flight: 2 });
    expect(((await (await patch(id, { budgets: null })).json()) as Answer).budgets).toEqual(NO_BUDGETS);
    const last: Answer = await (await patch(id, { rates: null })).json();
    expect(last).toMatchObject({ budgets: NO_BUDGETS, rates: NO_RATES });
    expect((await patch(id, { manage: true })).status).toBe(200);
  });

  test('changes of different members at the same time are all kept', async () => {
    const { id } = await createKey(gateway, account.key, {
      budgets: { day_ntd: 9, month_ntd: 9, total_ntd: 9, session_ntd: 9 },
    });
    const names = ['day_ntd', 'month_ntd', 'total_ntd', 'session_ntd'];
    await Promise.all(names.map((name) => patch(id, { budgets: { [name]: 1 } })));
    expect((await shown(id)).budgets).toMatchObject({ day_ntd: 1, month_ntd: 1, total_ntd: 1, session_ntd: 1 });
  });

  test('takes the daily budget under both names, if they agree', async () => {
    const both = await create('{"daily_budget_ntd":0.50,"budgets":{"day_ntd":0.5}}');
    expect(both.status).toBe(201);
    const { id }: Answer = await both.json();
    expect(await (await patch(id, { daily_budget_ntd: 0.25 })).json()).toMatchObject({ budgets: { day_ntd: 0.25 } });
    for (const body of [
      { daily_budget_ntd: 1, budgets: { day_ntd: 2 } },
      { daily_budget_ntd: null, budgets: { day_ntd: 2 } },
      { daily_budget_ntd: 1, budgets: null },
    ]) {
      for (const response of [await create(body), await patch(id, body)]) {
        const { error }: Answer = await response.json();
        expect([response.status, error.param]).toEqual([400, 'daily_budget_ntd']);
        expect(error.message).toContain('budgets.day_ntd');
      }
    }
    expect((await shown(id)).daily_budget_ntd).toBe(0.25);
  });

  test.each([
    ['budgets', '{"budgets":5}'],
    ['budgets', '{"budgets":[1]}'],
    ['budgets.week_ntd', '{"budgets":{"week_ntd":1}}'],
    ['budgets.day', '{"budgets":{"day":1}}'],
    ['budgets.month_nano', '{"budgets":{"month_nano":"5"}}'],
    ['budgets', '{"budgets":{"Day_NTD":1}}'],
    ['budgets.__proto__', '{"budgets":{"__proto__":1}}'],
    ['budgets', '{"budgets":{"day_ntd":1,"day_ntd":100}}'],
    ['budgets', '{"budgets":{"day_ntd":1,"day\\u005fntd":100}}'],
    ['rates', '{"rates":{"in_flight":1,"in_flight":100}}'],
    ['budgets.month_ntd', '{"budgets":{"month_ntd":-1}}'],
    ['budgets.month_ntd', '{"budgets":{"month_ntd":"5"}}'],
    ['budgets.total_ntd', '{"budgets":{"total_ntd":1e30}}'],
    ['budgets.total_ntd', '{"budgets":{"total_ntd":0.1234567891}}'],
    ['budgets.session_ntd', '{"budgets":{"session_ntd":true}}'],
    ['rates', '{"rates":"fast"}'],
    ['rates.per_second', '{"rates":{"per_second":1}}'],
    ['rates.in_flight', '{"rates":{"in_flight":0}}'],
    ['rates.in_flight', '{"rates":{"in_flight":-1}}'],
    ['rates.requests_per_minute', '{"rates":{"requests_per_minute":1.5}}'],
    ['rates.tokens_per_minute', '{"rates":{"tokens_per_minute":"60"}}'],
    ['rates.tokens_per_minute', '{"rates":{"tokens_per_minute":1000000001}}'],
    ['delegate', '{"delegate":"true"}'],
    ['manage', '{"manage":true,"budgets":{"total_ntd":5}}'],
    ['manage', '{"manage":true,"rates":{"in_flight":5}}'],
  ])('is refused by its field %s: %s', async (param, body) => {
    const { id } = await createKey(gateway, account.key, { name: 'before' });
    const before = gateway.sql('SELECT * FROM keys WHERE account_id = ?', account.accountId);
    for (const response of [await create(body), await patch(id, body)]) {
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } });
    }
    expect(gateway.sql('SELECT * FROM keys WHERE account_id = ?', account.accountId)).toEqual(before);
  });

  test('an unknown member is told with the known ones, and what is not a name is not repeated', async () => {
    const { error }: Answer = await (await create({ budgets: { 'a name that may be content': 1 } })).json();
    expect(error.message).toBe(
      'budgets has an unknown field. Known fields: day_ntd, month_ntd, total_ntd, session_ntd.',
    );
    expect(JSON.stringify(error)).not.toContain('content');
  });
});

describe('what a key has spent', () => {
  test('is shown for the day, the month and in all, with what is left and when it resets', async () => {
    const { id, key } = await createKey(gateway, account.key, { budgets: { day_ntd: 0.1, total_ntd: 0.5 } });
    await (await gateway.chat(key, { model: 'up-paid', max_tokens: 100 })).text();
    const nano = CHARGED.toString();
    const expected = {
      spent: { day_nano: nano, month_nano: nano, total_nano: nano },
      held_nano: '0',
      left: {
        day_nano: (100_000_000n - CHARGED).toString(),
        month_ntd: null,
        month_nano: null,
        total_nano: (500_000_000n - CHARGED).toString(),
      },
      resets_at: { day: '2026-05-20T16:00:00.000Z', month: '2026-05-31T16:00:00.000Z' },
    };
    expect(await shown(id)).toMatchObject(expected);
    const me = (await gateway.get('/api/me', key)).key;
    expect(me).toMatchObject({ ...expected, ancestors_left: null, daily_spent_nano: nano });
    expect(await (await patch(id, { name: 'named' })).json()).toMatchObject({ name: 'named', spent: expected.spent });
  });
});
