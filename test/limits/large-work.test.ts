// Large bodies of calls that get no answer: they count by their size and their number of values, against the account and its
// address, and beyond the budget no body of that account is read for a while. Small bodies never count.

import { afterEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { cutAt } from '../support/script.ts';
import { upModel } from '../support/test-document.ts';

const CHAT = '/v1/chat/completions';
/** 100 units each: four of them use up what an account has in ten seconds. */
const VALUES = Array.from({ length: 99_900 }, () => 1);
const MESSAGES = [{ role: 'user', content: 'x' }];
const heavy = (rest: Record<string, unknown>) =>
  JSON.stringify({ messages: MESSAGES, max_tokens: 5, ...rest, metadata: VALUES });

let gateway: TestGateway;
let clock: ManualClock;
afterEach(() => gateway.stop());

async function start(): Promise<void> {
  clock = createManualClock();
  gateway = await startTestGateway({
    clock,
    limits: { paid_per_minute: 10_000, free_per_minute: 10_000 },
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    document: (doc) => ({
      ...doc,
      models: [
        ...doc.models,
        upModel('dear', { price: { input: 100_000, output: 100_000 } }),
        upModel('cheap', { price: { input: 0.001, output: 0.001 } }),
      ],
    }),
  });
}

async function send(key: string, body: string, path = CHAT, address = '192.0.2.1'): Promise<Answer> {
  const response = await gateway.call(path, { key, body, headers: { 'x-forwarded-for': address } });
  const json = (await response.json()) as Answer;
  return { status: response.status, code: json.error?.code, retryAfter: response.headers.get('retry-after'), ...json };
}

async function codes(times: number, key: string, body: string, path = CHAT, address?: string): Promise<string[]> {
  const seen: string[] = [];
  for (let n = 0; n < times; n++) seen.push(String((await send(key, body, path, address)).code));
  return seen;
}

const times = (count: number, code: string) => Array.from({ length: count }, () => code);

describe('calls that are refused', () => {
  const refused: [why: string, body: string, code: string][] = [
    ['an unknown model', heavy({ model: 'nope' }), 'model_not_found'],
    ['no money', heavy({ model: 'dear' }), 'insufficient_balance'],
    ['a field that is wrong', heavy({ model: 'cheap', max_tokens: 'many' }), 'invalid_request'],
    ['broken JSON', heavy({ model: 'cheap' }).slice(0, -1), 'invalid_request'],
  ];
  test.each(refused)('%s: four large ones are told why, the fifth is told to wait', async (_, body, code) => {
    await start();
    const { key } = await gateway.register();
    expect(await codes(4, key, body)).toEqual(times(4, code));
    await clock.advance(3_000);
    const fifth = await send(key, body);
    expect(fifth).toMatchObject({ status: 429, code: 'rate_limited', retryAfter: '7' });
    expect(fifth.error).toMatchObject({ type: 'rate_limit_error', limit: 400, used: 400 });
    expect(fifth.error.resets_at).toBe(new Date(clock.now() + 7_000).toISOString());
    expect(fifth.error.message).toEndWith('retry in 7 s.');
    await clock.advance(7_001);
    expect(await codes(1, key, body)).toEqual([code]);
  });

  test('a hundred small ones are never told to wait, and pass when the large ones do not', async () => {
    await start();
    const { key } = await gateway.register();
    const small = JSON.stringify({ model: 'nope', messages: MESSAGES });
    expect(await codes(100, key, small)).toEqual(times(100, 'model_not_found'));
    expect(await codes(5, key, heavy({ model: 'nope' }))).toEqual([...times(4, 'model_not_found'), 'rate_limited']);
    expect(await codes(1, key, small)).toEqual(['model_not_found']);
    expect((await gateway.chat(key, { model: 'demo-small', max_tokens: 1 })).status).toBe(200);
  });

  test('fifty at once: they have their turn one by one, and the books refuse no more of them than four', async () => {
    await start();
    const { key } = await gateway.register();
    const body = heavy({ model: 'dear' });
    const all = await Promise.all(Array.from({ length: 50 }, () => send(key, body)));
    const seen = all.map(({ code }) => code);
    expect(seen.filter((code) => code === 'insufficient_balance')).toHaveLength(4);
    expect(seen.filter((code) => code === 'rate_limited')).toHaveLength(46);
  });

  test('what the upstream refuses counts, too', async () => {
    await start();
    const { key } = await gateway.register();
    gateway.upstream.otherwise({ status: 400, body: [JSON.stringify({ error: { message: 'no' } })] });
    const body = heavy({ model: 'cheap' });
    expect(await codes(5, key, body)).toEqual([...times(4, 'invalid_request'), 'rate_limited']);
  });
});

test('calls that are answered count nothing', async () => {
  await start();
  const { key } = await gateway.register();
  gateway.upstream.otherwise(chatAnswer());
  const seen = await Promise.all(Array.from({ length: 12 }, () => send(key, heavy({ model: 'cheap' }))));
  expect(seen.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
});

test('calls that are abandoned before their answer count', async () => {
  await start();
  const { key, accountId } = await gateway.register();
  gateway.upstream.otherwise(cutAt(chatAnswer(), 'head', 'stall'));
  const isOver = () => gateway.sql('SELECT 1 FROM holds WHERE account_id = ?', accountId).length === 0;
  for (let n = 0; n < 4; n++) {
    const leaving = new AbortController();
    const body = heavy({ model: 'cheap' });
    const call = gateway.call(CHAT, { key, body, signal: leaving.signal }).catch(() => undefined);
    await gateway.upstream.request(n);
    leaving.abort();
    await call;
    await eventually('the call to be closed', isOver);
  }
  // Large enough to be looked at, and too light to count.
  const light = JSON.stringify({ model: 'nope', user: 'x'.repeat(20_000) });
  const isRefused = async () => (await send(key, light)).code === 'rate_limited';
  await eventually('the fifth to be told to wait', isRefused);
  expect((await send(key, light)).error).toMatchObject({ limit: 400, used: 400 });
});

test('calls that only warm a cache take no slot, and count', async () => {
  await start();
  const { key } = await gateway.register();
  const body = heavy({ model: 'cheap', max_tokens: 0 });
  expect(await codes(5, key, body, '/v1/messages')).toEqual([...times(4, 'undefined'), 'rate_limited']);
});

test('token counts have no other limit, and count', async () => {
  await start();
  const { key } = await gateway.register();
  const path = '/v1/messages/count_tokens';
  expect(await codes(5, key, heavy({ model: 'cheap' }), path)).toEqual([...times(4, 'undefined'), 'rate_limited']);
});

describe('an address', () => {
  test('of many accounts has the budget of four; who sends none in vain is served', async () => {
    await start();
    const accounts = await Promise.all(Array.from({ length: 6 }, () => gateway.register()));
    const [first, second, third, fourth, fifth, honest] = accounts.map(({ key }) => key) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const body = heavy({ model: 'nope' });
    for (const key of [first, second, third]) expect(await codes(4, key, body)).toEqual(times(4, 'model_not_found'));
    expect(await codes(3, fourth, body)).toEqual(times(3, 'model_not_found'));
    expect(await codes(2, fifth, body)).toEqual(['model_not_found', 'rate_limited']);
    expect((await send(fifth, body)).error).toMatchObject({ limit: 1_600, used: 1_600 });
    expect(await codes(1, fifth, body, CHAT, '192.0.2.2')).toEqual(['model_not_found']);
    gateway.upstream.otherwise(chatAnswer());
    expect((await send(honest, heavy({ model: 'cheap' }))).status).toBe(200);
  });
});
