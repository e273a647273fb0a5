// Dates in the price list, as visitors and the operator see them: later prices, and models that retire.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { parse } from 'yaml';
import { DAY_MS } from '../../src/kit/clock.ts';
import { taipeiMoment } from '../../src/kit/taipei.ts';
import { clientOf } from '../admin/console/operator-client.ts';
import { adminApiOf } from '../support/admin-api.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts';
import { type TestDocument, upModel } from '../support/test-document.ts';
import { createSiteClient } from './site-client.ts';

let gateway: TestGateway;
let clock: ShiftedClock;
let changesAt: number;
let retiresAt: number;

const withDates = (standard: TestDocument): TestDocument => ({
  ...standard,
  models: [
    ...standard.models,
    upModel('changing', {
      price: {
        input: 10,
        output: 40,
        changes: [{ effective_at: new Date(changesAt).toISOString(), input: 21.5, service_tiers: { flex: 0.5 } }],
      },
    }),
    upModel('ending', {
      price: { input: 1, output: 1 },
      retires_at: new Date(retiresAt).toISOString(),
      replaced_by: 'changing',
    }),
  ],
});

beforeEach(async () => {
  clock = createShiftedClock({ standsStill: true });
  changesAt = clock.now() + 10 * DAY_MS;
  retiresAt = clock.now() + 20 * DAY_MS;
  gateway = await startTestGateway({ clock, document: withDates });
  gateway.upstream.otherwise(chatAnswer());
});
afterEach(() => gateway.stop());

const page = async (language: string, path = '/pricing') =>
  (await createSiteClient({ url: gateway.url }, language).get(path)).text();

test('the pricing page shows later prices and the end of a model, in both languages', async () => {
  const [change, end] = [taipeiMoment(changesAt), taipeiMoment(retiresAt)];
  const english = await page('en');
  expect(english).toContain(`From ${change}`);
  expect(english).toContain('21.5');
  expect(english).toContain('Service tiers: flex × 0.5');
  expect(english).toContain(`Retires on ${end}; use changing`);
  const chinese = await page('zh-TW');
  expect(chinese).toContain(`${change} 起`);
  expect(chinese).toContain(`${end} 停用，請改用 changing`);
});

test('so does its text', async () => {
  const text = await (await gateway.call('/pricing', { headers: { accept: 'text/plain' } })).text();
  expect(text).toContain(`- changing: From ${taipeiMoment(changesAt)}: Input NT$21.5`);
  expect(text).toContain(`- ending: Retires on ${taipeiMoment(retiresAt)}; use changing`);
});

test('when the dates have come, the price is the new one, the model is gone, and the history has both', async () => {
  clock.skip(20 * DAY_MS);
  const html = await page('en');
  expect(html).not.toContain(`From ${taipeiMoment(changesAt)}`);
  expect(html).not.toContain('Retires on');
  expect(html).toContain('changing: Input NT$10 → NT$21.5');
  expect(html).toContain('ending removed, last at:');
});

test('the console warns 60 days ahead, with the traffic that the end would meet', async () => {
  const accounts = [await gateway.register(), await gateway.register()];
  for (const { key } of [...accounts, ...accounts.slice(0, 1)]) {
    expect((await gateway.chat(key, { model: 'ending', max_tokens: 20 })).status).toBe(200);
  }
  const client = await clientOf(gateway);
  const models = await (await client.get('/models')).text();
  expect(models).toContain(`Retires on ${taipeiMoment(retiresAt)}, in 20 days.`);
  expect(models).toContain('Its calls are then refused; the successor is changing.');
  expect(models).toContain('Last 30 days: 3 requests from 2 accounts.');
  expect(await (await client.get('/models/edit?model=changing')).text()).toContain(`From ${taipeiMoment(changesAt)}`);
  expect(await (await client.get('/')).text()).toContain('Models that retire within 60 days: ending');
  const chinese = await clientOf(gateway, 'zh-TW');
  expect(await (await chinese.get('/models')).text()).toContain('最近 30 天：2 個帳戶、3 次請求。');
});

test('an edit of prices keeps later changes, and makes those that have come part of the price', async () => {
  const api = adminApiOf(gateway);
  const edited = async (input: string) => {
    const edits = [{ model: 'changing', sale: { input } }];
    const { body } = await api('GET', '/prices');
    const applied = await api('PATCH', '/prices', {
      edits,
      base_revision: body.revision,
      confirmed: true,
    });
    expect(applied.status).toBe(200);
    const { body: document } = await api('GET', '/document');
    return parse(document.yaml).models.find(({ id }: { id: string }) => id === 'changing').price;
  };
  const change = { effective_at: new Date(changesAt).toISOString(), input: 21.5, service_tiers: { flex: 0.5 } };
  const { rows } = (await api('GET', '/prices')).body;
  expect(rows.find(({ model }: { model: string }) => model === 'changing').changes).toEqual([
    { effective_at: change.effective_at, sale: { input: '21.5' }, rules: { service_tiers: { flex: '0.5' } } },
  ]);
  expect(await edited('12')).toEqual({ input: 12, output: 40, changes: [change] });
  clock.skip(10 * DAY_MS);
  expect(await edited('30')).toEqual({ input: 30, output: 40, service_tiers: { flex: 0.5 } });
});
