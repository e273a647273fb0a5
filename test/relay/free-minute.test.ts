// Six free calls per rolling minute and account: exact, told in headers, waited for when the wait is short.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { passTime } from '../support/pass-time.ts';

const NO_WAIT = { headers: { 'x-svc-no-wait': '1' } };
const clock = createManualClock();
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway({ clock, document: (doc) => ({ ...doc, guards: { free_in_flight: null } }) });
});
beforeEach(async () => {
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const ask = () => gateway.chat(account.key, { model: 'auto:free' }, NO_WAIT);
async function askTimes(count: number): Promise<void> {
  for (let i = 0; i < count; i++) expect((await ask()).status).toBe(200);
}
/** The answer says whether the books have decided an admission since. */
function watchAdmissions({ gateway: { store } }: TestGateway): () => boolean {
  const { commit } = store;
  let hasDecided = false;
  store.commit = async (name, input) => {
    const result = await commit(name, input);
    if (name === 'admit') {
      hasDecided = true;
      store.commit = commit;
    }
    return result;
  };
  return () => hasDecided;
}

const rate = ({ headers }: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}-requests`));

test('every answer reports limit, remaining and reset', async () => {
  const told: unknown[] = [];
  for (let i = 0; i < 6; i++) {
    told.push(rate(await ask()));
    await clock.advance(1_000);
  }
  expect(told).toEqual([
    ['6', '5', '60s'],
    ['6', '4', '59s'],
    ['6', '3', '58s'],
    ['6', '2', '57s'],
    ['6', '1', '56s'],
    ['6', '0', '55s'],
  ]);
});

test('a wait of less than a second is given as one second', async () => {
  await ask();
  await clock.advance(400);
  expect(rate(await ask())).toEqual(['6', '4', '60s']);
  await clock.advance(599);
  expect(rate(await ask())).toEqual(['6', '3', '60s']);
  await clock.advance(1);
  expect(rate(await ask())).toEqual(['6', '2', '59s']);
});

test('streams report it, too', async () => {
  const response = await gateway.chat(account.key, { model: 'auto:free', stream: true });
  expect(rate(response)).toEqual(['6', '5', '60s']);
  await response.text();
});

test('the seventh is 429 and says when, until a slot is a minute old', async () => {
  await askTimes(3);
  await passTime(gateway, clock, 30_000);
  await askTimes(3);
  await clock.advance(1_000);
  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('29');
  expect(rate(refused)).toEqual(['6', '0', '29s']);
  const { error }: Answer = await refused.json();
  expect(error).toMatchObject({ code: 'free_minute_limit', type: 'rate_limit_error', limit: 6, used: 6 });
  expect(error.message).toMatch(/\(6 of 6\)\. Retry in \d+ s, or use a paid model\.$/);
  expect(error.resets_at).toBe(new Date(clock.now() + 29_000).toISOString());

  await passTime(gateway, clock, 28_999);
  expect((await ask()).status).toBe(429);
  await clock.advance(1);
  await askTimes(3);
  expect((await ask()).status).toBe(429);
});

test('exact under a race', async () => {
  const raced = await Promise.all(Array.from({ length: 60 }, ask));
  expect(raced.filter(({ status }) => status === 200)).toHaveLength(6);
  expect(raced.filter(({ status }) => status === 429)).toHaveLength(54);
  expect((await gateway.get('/api/usage', account.key)).data).toHaveLength(6);
});

test('all keys and all free models of an account share the six', async () => {
  const created: Answer = await (
    await gateway.call('/api/keys', { key: account.key, body: { name: 'second' } })
  ).json();
  await askTimes(3);
  const other = { ...NO_WAIT };
  for (let i = 0; i < 3; i++) {
    expect((await gateway.chat(created.api_key, { model: 'claude-auto' }, other)).status).toBe(200);
  }
  expect((await ask()).status).toBe(429);
  expect((await gateway.chat(created.api_key, { model: 'up-free' }, other)).status).toBe(429);
});

test('refused calls are not counted', async () => {
  await askTimes(6);
  await passTime(gateway, clock, 30_000);
  for (let i = 0; i < 5; i++) expect((await ask()).status).toBe(429);
  // The six are a minute old then, the five are not.
  await passTime(gateway, clock, 30_000);
  await askTimes(6);
});

test('a clock that steps back opens nothing', async () => {
  await askTimes(6);
  clock.step(-3_600_000);
  expect((await ask()).status).toBe(429);
  clock.step(3_600_000 - 1);
  expect((await ask()).status).toBe(429);
  clock.step(1);
  await passTime(gateway, clock, 60_000);
  expect((await ask()).status).toBe(200);
});

test('a wait of more than 55 s is not given as such: clients would hang or give up', async () => {
  await askTimes(6);
  const refused = await ask();
  expect(refused.headers.get('retry-after')).toBe('55');
  expect(rate(refused)).toEqual(['6', '0', '55s']);
});

test('a slot that is given back is free at once, also for an account that was just refused', async () => {
  await askTimes(5);
  const gate = createGate();
  gateway.upstream.next({ status: 404, body: [gate.opened, '{}'] });
  const failing = gateway.chat(account.key, { model: 'up-free' }, NO_WAIT);
  await gateway.upstream.request(0);
  expect((await ask()).status).toBe(429);
  gate.open();
  expect((await failing).status).toBe(502);
  expect((await ask()).status).toBe(200);
});

test('where no call is free, no call waits for a slot', async () => {
  const none = await startTestGateway({ clock, limits: { free_per_minute: 0 } });
  const { key } = await none.register();
  // The clock stands still: a wait would have no end.
  const refused = await none.chat(key, { model: 'auto:free' }, { signal: AbortSignal.timeout(5_000) });
  expect(refused.status).toBe(429);
  await none.stop();
});

test.each([
  ['free_per_minute', 'auto:free', 'free_minute_limit', 'Use a paid model'],
  ['paid_per_minute', 'up-paid', 'rate_limited', 'Use a free model'],
  ['in_flight', 'up-paid', 'too_many_in_flight', 'Use a free model'],
])('where %s is 0, no time is given, and clients retry seldom', async (limit, model, code, told) => {
  const none = await startTestGateway({ clock, limits: { [limit]: 0 } });
  const { key } = await none.register();
  const refused = await none.chat(key, { model, max_tokens: 10 });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '55']);
  expect(refused.headers.get('x-ratelimit-reset-requests')).toBe(limit === 'in_flight' ? null : '60s');
  const { error }: Answer = await refused.json();
  expect(error).toMatchObject({ code, limit: 0, used: 0, message: expect.stringContaining(told) });
  expect(error).not.toHaveProperty('resets_at');
  await none.stop();
});

describe('a slot that frees soon', () => {
  const waiting = async (ms: number) => {
    await askTimes(6);
    await passTime(gateway, clock, 60_000 - ms);
    const isRefused = watchAdmissions(gateway);
    const call = gateway.chat(account.key, { model: 'auto:free' });
    return { call, isRefused };
  };

  test('within three seconds is waited for', async () => {
    const { call, isRefused } = await waiting(3_000);
    await eventually('the wait', isRefused);
    let answered = false;
    void call.then(() => (answered = true));
    await clock.advance(2_999);
    expect(answered).toBe(false);
    await eventually('an answer', async () => {
      if (!answered) await clock.advance(1);
      return answered;
    });
    expect((await call).status).toBe(200);
  });

  test('later is not', async () => {
    const { call } = await waiting(3_001);
    expect((await call).status).toBe(429);
  });

  test('is not waited for when the client forbids it', async () => {
    await askTimes(6);
    await passTime(gateway, clock, 59_999);
    expect((await ask()).status).toBe(429);
  });
});

test('a call that waits for a slot when the gateway must stop gets it and is answered', async () => {
  const one = await startTestGateway({ clock });
  const { key } = await one.register();
  for (let i = 0; i < 6; i++) await one.chat(key, { model: 'auto:free' }, NO_WAIT);
  await passTime(one, clock, 58_000);
  const isRefused = watchAdmissions(one);
  const call = one.chat(key, { model: 'auto:free' });
  await eventually('the wait', isRefused);
  let hasStopped = false;
  const stopping = one.gateway.drain(10_000).then(() => {
    hasStopped = true;
  });
  await clock.advance(2_000);
  expect(hasStopped).toBe(false);
  expect((await call).status).toBe(200);
  await eventually('the end', async () => {
    await clock.advance(100);
    return hasStopped;
  });
  await stopping;
  await one.stop();
});

test('survives a restart', async () => {
  await askTimes(6);
  const { dataDir } = gateway;
  const { key } = account;
  await gateway.gateway.drain(0);
  const second = await startTestGateway({ clock, dataDir });
  expect((await second.chat(key, { model: 'auto:free' }, NO_WAIT)).status).toBe(429);
  await second.stop();
});
