// What vendors say about prepaid credit: read each hour with the channel's key, shown, and an alarm before it runs out.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { eventually } from '../../support/eventually.ts';
import { NO_JITTER, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { chatAnswer, jsonScript } from '../../support/openai-chat.ts';
import { operatorOf } from '../../support/operator.ts';
import type { Script } from '../../support/script.ts';
import { UPSTREAM_KEY, upModel, upstreamUrl } from '../../support/test-document.ts';

const HOUR_MS = 3_600_000;
/** After the start, the first time. */
let dueMs = 60_000;

let clock: ManualClock;
let gateway: TestGateway;
let answers: Record<string, Script>;

const deepseek = (total: string) =>
  jsonScript(200, { is_available: true, balance_infos: [{ currency: 'CNY', total_balance: total }] });
/** `remaining`: null for a key without a limit. */
const openrouter = (remaining: number | null) =>
  jsonScript(200, {
    data: { label: 'sk-or-v1-0e6...1c9', limit: remaining && 100, limit_remaining: remaining, usage: 25.5 },
  });
const moonshot = (amount: number) => jsonScript(200, { code: 0, data: { available_balance: amount }, status: true });

beforeAll(async () => {
  clock = createManualClock();
  gateway = await startTestGateway({
    clock,
    random: NO_JITTER,
    document: (standard) => {
      const root = upstreamUrl(standard).replace(/\/v1$/, '');
      const channel = (name: string, path: string, fields: object) => ({
        ...{ name, kind: 'openai', base_url: `${root}${path}`, api_key: UPSTREAM_KEY, endpoints: ['chat'] },
        ...fields,
      });
      return {
        ...standard,
        channels: [
          ...standard.channels,
          channel('deep', '', { quirks: 'deepseek', balance_alarm: 20 }),
          channel('router', '/api/v1', { quirks: 'openrouter', balance_alarm: null }),
          channel('moon', '/v1', { quirks: 'moonshot' }),
          channel('plain', '/v1', {}),
          channel('off', '/v1', { quirks: 'moonshot', enabled: false }),
        ],
        models: [
          ...standard.models,
          upModel('on-moon', {
            price: { input: 1, output: 1 },
            routes: [{ channel: 'moon', model: 'moon', cost: { input: 1_000_000, output: 1_000_000 } }],
          }),
        ],
      };
    },
  });
});
beforeEach(() => {
  answers = {
    '/user/balance': deepseek('110.00'),
    '/api/v1/key': openrouter(74.5),
    '/v1/users/me/balance': moonshot(49.58894),
  };
  gateway.upstream.reset();
  gateway.upstream.otherwise(({ path }) => answers[path] ?? { status: 404 });
});
afterAll(() => gateway.stop());

const channelOf = async (name: string): Promise<Answer> => {
  const response = await operatorOf(gateway).call(`/api/admin/channels/${name}`);
  return ((await response.json()) as Answer).balance;
};

/** Time passes to the moment when the vendors are asked, and not further: no question runs out of time. */
async function ask(): Promise<void> {
  const before = gateway.upstream.requests.length;
  await clock.advance(dueMs);
  dueMs = HOUR_MS;
  const now = clock.now();
  await eventually('the questions', () => gateway.upstream.requests.length >= before + 3);
  await eventually('the answers', async () => {
    const all = await Promise.all(['deep', 'router', 'moon'].map(channelOf));
    return all.every((one) => one && Date.parse(one.asked_at) === now);
  });
}

const alarms = () => gateway.log.alarms('upstream_balance_low');

test('each vendor is asked with the key of its channel, and what it says is shown', async () => {
  expect(await channelOf('moon')).toBeNull();
  await ask();
  expect(gateway.upstream.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /user/balance',
    'GET /api/v1/key',
    'GET /v1/users/me/balance',
  ]);
  for (const { headers } of gateway.upstream.requests) {
    expect(new Headers(headers as HeadersInit).get('authorization')).toBe(`Bearer ${UPSTREAM_KEY}`);
  }
  expect(await channelOf('deep')).toMatchObject({
    balance: { amount: 110, currency: 'CNY' },
    failure: null,
    alarm_below: 20,
    is_low: false,
  });
  expect(await channelOf('router')).toMatchObject({ balance: { amount: 74.5, currency: 'USD' }, alarm_below: null });
  expect(await channelOf('moon')).toMatchObject({ balance: { amount: 49.58894, currency: 'USD' }, alarm_below: null });
  expect(await channelOf('plain')).toBeNull();
  expect(await channelOf('off')).toBeNull();
  const scrape = await operatorOf(gateway).scrape();
  expect(scrape.value('gateway_upstream_balance', { channel: 'router', currency: 'USD' })).toBe(74.5);
  expect(alarms()).toEqual([]);
});

test('an alarm is raised once when the credit falls below the threshold', async () => {
  answers['/user/balance'] = deepseek('19.99');
  answers['/api/v1/key'] = openrouter(0);
  await ask();
  expect(alarms()).toMatchObject([{ channel: 'deep', detail: 'CNY 19.99 left, below CNY 20' }]);
  expect(await channelOf('deep')).toMatchObject({ is_low: true });
  await ask();
  expect(alarms()).toHaveLength(1);
});

test('without an amount in the document, it is what the last days cost', async () => {
  const { key } = await gateway.register();
  answers['/v1/chat/completions'] = chatAnswer();
  expect((await gateway.chat(key, { model: 'on-moon' })).status).toBe(200);
  await eventually('the record', async () => (await gateway.get('/api/usage', key)).data.length === 1);
  await ask();
  // 11 and 7 tokens at NT$1 each, at 32.5 NT$ for a US$.
  expect(await channelOf('moon')).toMatchObject({ alarm_below: 0.55, is_low: false });
});

test('a question that is not answered keeps the last answer, and raises nothing', async () => {
  answers = {
    '/user/balance': jsonScript(401, { error: { message: 'no such key' } }),
    '/v1/users/me/balance': moonshot(3),
  };
  answers['/api/v1/key'] = jsonScript(200, { hello: 'world' });
  const before = alarms().length;
  await ask();
  expect(await channelOf('deep')).toMatchObject({
    balance: { amount: 110 },
    failure: expect.stringContaining('401'),
  });
  expect((await channelOf('router')).failure).toContain('expected fields');
  expect(await channelOf('moon')).toMatchObject({ balance: { amount: 3 }, failure: null });
  expect(alarms()).toHaveLength(before);
});

test('a key without a limit at OpenRouter has no amount to read, and the operator sees how to get one', async () => {
  answers['/api/v1/key'] = openrouter(null);
  const before = alarms().length;
  await ask();
  expect((await channelOf('router')).failure).toBe('the key has no limit at OpenRouter: set one there');
  expect(alarms()).toHaveLength(before);
});
