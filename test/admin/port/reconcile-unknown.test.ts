// What our records cannot tell of a bill is told as unknown and never as 0: which of several routes to a channel served, and
// what was used before the first day that is kept. In the API, and on the pages in both languages.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { dayText } from '../../../src/admin/actions/ledger.ts';
import { DAY_MS } from '../../../src/kit/clock.ts';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import type { Answer } from '../../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { type TestDocument, upModel } from '../../support/test-document.ts';
import { clientOf } from '../console/operator-client.ts';

let clock: ManualClock;
let gateway: TestGateway;
let api: AdminApi;
let account: TestAccount;
beforeEach(async () => {
  clock = createManualClock();
  gateway = await startTestGateway({ clock, document: catalog });
  api = adminApiOf(gateway);
  account = await gateway.register();
  gateway.upstream.otherwise(chatAnswer());
});
afterEach(() => gateway.stop());

const DEAR = { input: 60, output: 240 };
const CHEAP = { input: 6, output: 24 };

/** One with two names at the upstream, one with one name at two costs, and one that has one of these names, too. */
function catalog(standard: TestDocument): TestDocument {
  const to = (...routes: [model: string, cost: object][]) => ({
    price: { input: 10, output: 40 },
    routes: routes.map(([model, cost], index) => ({ channel: 'up', model, cost, priority: index + 1 })),
  });
  return {
    ...standard,
    models: [
      ...standard.models.slice(0, 2),
      upModel('two-names', to(['dear', DEAR], ['cheap', CHEAP])),
      upModel('two-costs', to(['plain', DEAR], ['plain', CHEAP])),
      upModel('alone', to(['cheap', CHEAP])),
      upModel('other', to(['other-upstream', CHEAP])),
    ],
  };
}

const today = () => dayText(taipeiDay(clock.now()));

/** 11 tokens in and 7 out. */
async function talk(model: string): Promise<void> {
  expect((await gateway.chat(account.key, { model })).status).toBe(200);
}

const billOf = (lines: readonly string[]) => `model,date,input_tokens,output_tokens,amount\n${lines.join('\n')}\n`;

async function reconcile(...lines: string[]): Promise<Answer> {
  const { status, body } = await api('POST', '/ledger/reconcile', { channel: 'up', csv: billOf(lines) });
  expect(status).toBe(200);
  return body;
}

async function pageOf(language: 'en' | 'zh-TW', ...lines: string[]): Promise<string> {
  const client = await clientOf(gateway, language);
  return (await client.post('/ledger/reconcile', { channel: 'up', bill: billOf(lines), rate: '1' })).text();
}

const UNCOMPARED = { input_tokens: null, output_tokens: null, amount_ntd: null };

describe('several routes of a model to one channel', () => {
  test('by other names: nothing of these names is compared, and no cost is known', async () => {
    const day = today();
    for (const model of ['two-names', 'two-names', 'alone', 'other']) await talk(model);
    const lines = [`dear,${day},11,7,1`, `cheap,${day},22,14,1`, `other-upstream,${day},11,7,0.000234`];
    const { rows, totals, notes } = await reconcile(...lines);
    expect(rows).toMatchObject([
      { model: 'cheap', is_mixed: true, ours: { requests: 1 }, difference: UNCOMPARED, agrees: false },
      { model: 'dear', is_mixed: true, difference: UNCOMPARED, agrees: false },
      { model: 'other-upstream', is_mixed: false, agrees: true, ours: { requests: 1, amount_nano: '234000' } },
      { model: 'two-names', is_mixed: true, ours: { requests: 2, amount_ntd: null }, difference: UNCOMPARED },
    ]);
    expect(rows[1].ours).toBeUndefined();
    expect(totals.ours).toMatchObject({ requests: 4, input_tokens: 44, amount_ntd: null });
    expect(notes).toEqual([
      {
        code: 'several_routes',
        models: ['cheap', 'dear', 'two-names'],
        message:
          'cheap, dear, two-names: a model has several routes to this channel, and its requests cannot be distinguished: their cost is unknown',
      },
    ]);
    const page = await pageOf('en', ...lines);
    expect(page).toContain('3 lines cannot be compared.');
    expect(page).toContain('cheap, dear, two-names: a model has several routes to this channel');
    expect(page).not.toContain('not in our records');
    expect(page).not.toContain('not on the bill');
    const chinese = await pageOf('zh-TW', ...lines);
    expect(chinese).toContain('cheap、dear、two-names：有模型以多條路由使用這條線路');
    expect(chinese).toContain('有 3 項無法核對。');
  });

  test('a bill that names the model as we do has them together: their tokens are compared', async () => {
    await talk('two-names');
    const { rows, notes } = await reconcile(`two-names,${today()},11,7,1`);
    expect(rows).toMatchObject([
      { agrees: true, is_mixed: false, difference: { input_tokens: 0, output_tokens: 0, amount_ntd: null } },
    ]);
    expect(notes).toMatchObject([{ code: 'several_routes', models: ['two-names'] }]);
    expect((await reconcile(`two-names,${today()},99,7,1`)).rows).toMatchObject([{ agrees: false }]);
  });

  test('by one name at other costs: tokens are compared, the cost is not known', async () => {
    await talk('two-costs');
    const { rows, notes } = await reconcile(`plain,${today()},11,7,1`);
    expect(rows).toMatchObject([
      { model: 'plain', agrees: true, is_mixed: false, ours: { amount_ntd: null }, difference: { input_tokens: 0 } },
    ]);
    expect(notes).toMatchObject([{ code: 'several_routes', models: ['plain'] }]);
    const english = await pageOf('en', `plain,${today()},11,7,1`);
    expect(english).toContain('The amount of one line cannot be compared.');
    expect(english).toContain('state degraded is-sentence">tokens agree, the amount is not compared<');
    expect(english).not.toContain('agrees');
    expect(await pageOf('zh-TW', `plain,${today()},11,7,1`)).toContain('有 1 項的金額無法核對。');
  });
});

describe('usage that is no longer kept', () => {
  /** Used on a day that is then forgotten, and on the first one that is kept, which is today. */
  async function forgotten() {
    const early = today();
    await talk('other');
    clock.step(3 * DAY_MS);
    await talk('other');
    await forget(gateway, taipeiDay(clock.now()));
    return { early, late: today() };
  }

  test('days before the first that is kept are null, and the house accounts still have their revenue', async () => {
    const { early, late } = await forgotten();
    const { days, house } = (await api('GET', '/ledger?days=4')).body;
    const unknown = { requests: null, accounts: null, revenue_ntd: null, revenue_nano: null };
    expect(days[0]).toEqual({ day: early, ...unknown });
    expect(days.slice(1)).toMatchObject([unknown, unknown, { day: late, requests: 1, accounts: 1 }]);
    const revenue = house.find((one: Answer) => one.account === 'house:revenue');
    expect(BigInt(revenue.amount_nano)).toBe(2n * BigInt(days[3].revenue_nano));
    const page = async (language: string, path: string) => (await (await clientOf(gateway, language)).get(path)).text();
    expect(await page('en', '/ledger')).toContain(`Usage before ${late} was deleted.`);
    expect(await page('en', '/ledger')).toContain('deleted</td>');
    expect(await page('zh-TW', '/ledger')).toContain(`${late} 之前的用量已不再保留`);
  });

  test('a bill of such a day is not compared', async () => {
    const { early, late } = await forgotten();
    const lines = [`other-upstream,${early},11,7,5`, `other-upstream,${late},11,7,0.000234`];
    const { rows, totals, notes } = await reconcile(...lines);
    expect(rows).toMatchObject([
      { period: early, ours: null, difference: UNCOMPARED, agrees: false },
      { period: late, ours: { requests: 1 }, agrees: true },
    ]);
    expect(totals.ours).toMatchObject({ requests: null, input_tokens: null, amount_ntd: null, revenue_ntd: null });
    expect(notes).toEqual([
      {
        code: 'usage_not_kept',
        models: ['other-upstream'],
        message: `usage before ${late} is no longer kept: other-upstream cannot be compared in periods that begin earlier`,
        kept_from: late,
      },
    ]);
    const page = await pageOf('en', ...lines);
    for (const said of [
      'One line cannot be compared.',
      `Usage before ${late} was deleted.`,
      'The sale amount is no longer known.',
      'deleted',
    ]) {
      expect(page).toContain(said);
    }
    expect(await pageOf('zh-TW', ...lines)).toContain(
      `${late} 之前的用量已不再保留；期間起始日早於這一天的項目無法核對`,
    );
  });

  test('nor one of a month of which only a part is kept', async () => {
    const { late } = await forgotten();
    const lines = [`other-upstream,${late.slice(0, 7)},22,14,5`];
    expect((await reconcile(...lines)).rows).toMatchObject([{ ours: null, difference: UNCOMPARED }]);
  });

  test('a bill of days that are kept has no note', async () => {
    const { late } = await forgotten();
    expect((await reconcile(`other-upstream,${late},11,7,0.000234`)).notes).toEqual([]);
  });

  test('nobody knows whether a channel that was removed had usage then: its bill is not refused', async () => {
    const early = today();
    await talk('other');
    clock.step(3 * DAY_MS);
    await forget(gateway, taipeiDay(clock.now()));
    await gateway.apply((standard) => ({
      ...standard,
      channels: standard.channels.slice(0, 1),
      models: standard.models.slice(0, 2),
    }));
    for (const period of [early, early.slice(0, 7)]) {
      const { rows, notes } = await reconcile(`other-upstream,${period},11,7,5`);
      expect(rows).toMatchObject([{ period, ours: null, difference: UNCOMPARED, agrees: false }]);
      expect(notes).toMatchObject([{ code: 'usage_not_kept', kept_from: today() }]);
    }
    const csv = billOf([`other-upstream,${today()},11,7,5`]);
    expect((await api('POST', '/ledger/reconcile', { channel: 'up', csv })).status).toBe(404);
  });
});

async function forget({ gateway: { store } }: TestGateway, day: number): Promise<void> {
  for (;;) {
    const { records, sums } = await store.forgetUsage({ day, limit: 100 });
    if (records + sums === 0) return;
  }
}
