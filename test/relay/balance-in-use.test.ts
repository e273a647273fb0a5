// Money that is there but held by running calls: admission waits for it up to three seconds, then says so.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { createGate, eventually, type Gate } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { upModel } from '../support/test-document.ts';

const clock = createManualClock();
let gateway: TestGateway;
let account: TestAccount;
let gate: Gate;
let first: Promise<Response>;
/** When somebody asked to be admitted, and how much the store has to do. */
let tries: number[] = [];
let committing = 0;

beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    document: (doc) => ({ ...doc, models: [...doc.models, upModel('dear', { price: { input: 10, output: 10_000 } })] }),
  });
  const { store } = gateway.gateway;
  const { commit } = store;
  store.commit = (name, input) => {
    if (name === 'admit') tries.push(clock.monotonic());
    committing++;
    return commit(name, input).finally(() => committing--);
  };
});
afterAll(() => gateway.stop());

/** The first call holds all but a little of NT$1 until its gate opens. */
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
  gate = createGate();
  gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
  first = gateway.chat(account.key, { model: 'dear', max_tokens: 90 });
  await gateway.upstream.request(0);
  tries = [];
});

/** Lets time pass until the call is answered, but none while the store is at work; how much of it went by from its first
 * try of this call to its last. */
async function timeUntil(call: Promise<Response>): Promise<number> {
  let answered = false;
  void call.then(
    () => (answered = true),
    () => (answered = true),
  );
  await eventually('an answer', async () => {
    if (!answered && tries.length > 0 && committing === 0) await clock.advance(50);
    return answered;
  });
  return (tries.at(-1) ?? 0) - (tries[0] ?? 0);
}

test('after three seconds it is a 402 that says to come back', async () => {
  const second = gateway.chat(account.key, { model: 'dear', max_completion_tokens: 90 });
  expect(await timeUntil(second)).toBeWithin(2_900, 3_300);
  const response = await second;
  expect(response.status).toBe(402);
  expect(response.headers.get('retry-after')).toBe('2');
  expect(response.headers.get('x-should-retry')).toBe('true');
  const { error }: Answer = await response.json();
  expect(error).toMatchObject({ code: 'balance_in_use', type: 'insufficient_quota' });
  expect(error.actions.map(({ href }: Answer) => new URL(href).pathname)).toEqual(['/api/me', '/api/redeem']);
  expect(error.message).toEndWith(
    ' Retry in 2 s, send fewer requests at once, or set a lower max_completion_tokens on each.',
  );
  expect(BigInt(error.available_nano)).toBeLessThan(BigInt(error.needed_nano));
  expect(gateway.upstream.requests).toHaveLength(1);
  gate.open();
  expect((await first).status).toBe(200);
});

test('when the money comes back in time the call is served', async () => {
  gateway.upstream.next(chatAnswer());
  const second = gateway.chat(account.key, { model: 'dear', max_tokens: 80 });
  await clock.advance(1_000);
  gate.open();
  expect((await first).status).toBe(200);
  expect(await timeUntil(second)).toBeLessThan(2_000);
  expect((await second).status).toBe(200);
  expect(gateway.audit()).toEqual([]);
});

test('so it is when the money is that of a key’s budget', async () => {
  gate.open();
  await first;
  const { key } = await createKey(gateway, account.key, { daily_budget_ntd: 0.5 });
  const budgetGate = createGate();
  gateway.upstream.next({ ...chatAnswer(), body: [budgetGate.opened, ...(chatAnswer().body ?? [])] });
  gateway.upstream.next(chatAnswer());
  const running = gateway.chat(key, { model: 'dear', max_tokens: 40 });
  await gateway.upstream.request(1);
  tries = [];
  const second = gateway.chat(key, { model: 'dear', max_tokens: 40 });
  await clock.advance(1_000);
  budgetGate.open();
  expect((await running).status).toBe(200);
  expect(await timeUntil(second)).toBeLessThan(2_000);
  expect((await second).status).toBe(200);
  expect(gateway.audit()).toEqual([]);
});

test('a call that needs less than what is left does not wait', async () => {
  gateway.upstream.next(chatAnswer());
  expect((await gateway.chat(account.key, { model: 'dear', max_tokens: 5 })).status).toBe(200);
  gate.open();
  await first;
});

test('a client that leaves while it waits has taken nothing', async () => {
  const leaving = new AbortController();
  const timers = clock.pending();
  const second = gateway.chat(account.key, { model: 'dear', max_tokens: 90 }, { signal: leaving.signal });
  second.catch(() => {});
  await eventually('the wait', () => clock.pending() > timers);
  leaving.abort();
  await expect(second).rejects.toThrow();
  gate.open();
  await first;
  await clock.advance(5_000);
  const { data } = await gateway.get('/api/usage', account.key);
  expect(data).toHaveLength(1);
  expect(gateway.upstream.requests).toHaveLength(1);
  expect(gateway.log.lines().filter(({ level }) => level === 'error')).toEqual([]);
});

const MANY = 40;
/** Each needs more than the first call has left. */
const askTimes = (count: number, maxTokens: number, key = account.key) =>
  Array.from({ length: count }, () => gateway.chat(key, { model: 'dear', max_tokens: maxTokens }));

test('many that wait ask in turn, and each waits its time', async () => {
  const calls = askTimes(MANY, 90);
  await eventually('all to have asked', () => tries.length >= MANY && committing === 0);
  const startedAt = clock.monotonic();
  expect(await timeUntil(Promise.all(calls).then(([one]) => one as Response))).toBeWithin(2_900, 3_300);
  for (const call of calls) expect((await call).status).toBe(402);
  expect(clock.monotonic() - startedAt).toBeGreaterThan(2_900);
  // At first, at last, and one every 50 ms in between; each for itself would be 2,400.
  expect(tries.length).toBeLessThanOrEqual(2 * MANY + 61);
  gate.open();
  expect((await first).status).toBe(200);
});

test.each(['account', 'key'])(
  'all that returned money is enough for are served at once: that of the %s',
  async (whose) => {
    gateway.upstream.otherwise(chatAnswer());
    let key = account.key;
    if (whose === 'key') {
      gate.open();
      expect((await first).status).toBe(200);
      ({ key } = await createKey(gateway, account.key, { daily_budget_ntd: 0.8 }));
      gate = createGate();
      gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
      first = gateway.chat(key, { model: 'dear', max_tokens: 70 });
      await gateway.upstream.request(1);
      tries = [];
    }
    const calls = askTimes(5, 11, key);
    await eventually('all to have asked', () => tries.length >= 5 && committing === 0);
    gate.open();
    expect((await first).status).toBe(200);
    const asked = tries.length;
    await clock.advance(50);
    // Time goes on: what else an answer may wait for is not the matter here.
    await timeUntil(Promise.all(calls).then(([one]) => one as Response));
    for (const call of calls) expect((await call).status).toBe(200);
    // One in each turn would take 200 ms.
    const again = tries.slice(asked);
    expect(Math.max(...again) - Math.min(...again)).toBeLessThan(150);
    expect(gateway.audit()).toEqual([]);
  },
);
