// Free calls of one address: a guard for operators who meet one person with many accounts.

import { afterEach, describe, expect, spyOn, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { chatAnswer, errorScript } from '../support/openai-chat.ts';
import { passTime } from '../support/pass-time.ts';
import { cutAt } from '../support/script.ts';

const HOUR_MS = 3_600_000;
const ONE = '203.0.113.1';
const OTHER = '203.0.113.2';
let gateway: TestGateway;
let clock: ManualClock;
afterEach(() => gateway.stop());

/** 15:00 in Taipei; nine hours to midnight. */
async function start(perDay: number | null, { isRealTime = false } = {}): Promise<void> {
  clock = createManualClock(Date.UTC(2026, 5, 10, 7, 0, 0));
  gateway = await startTestGateway({
    ...(isRealTime ? {} : { clock }),
    limits: { free_per_minute: 10_000 },
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    document: (doc) => ({
      ...doc,
      guards: { ...doc.guards, free_in_flight: null, free_per_address_day: perDay },
    }),
  });
}
const ask = (key: string, address = ONE, model = 'auto:free', signal?: AbortSignal) =>
  gateway.chat(key, { model }, { headers: { 'x-forwarded-for': address }, ...(signal ? { signal } : {}) });
const used = (key: string) =>
  gateway.get('/api/me', key).then(({ free }: Answer) => [free.minute.used, free.day.used] as const);
const windows = () =>
  gateway.sql<{ day_count: bigint }>(`SELECT day_count FROM windows WHERE window_id LIKE 'free:address:%'`);

describe('with the guard', () => {
  test('all accounts of an address share it; the refused take no slot of their own', async () => {
    await start(5);
    const accounts = await Promise.all([1, 2, 3].map(() => gateway.register()));
    const seen: number[] = [];
    for (const { key } of accounts) for (let i = 0; i < 2; i++) seen.push((await ask(key)).status);
    expect(seen).toEqual([200, 200, 200, 200, 200, 429]);

    const last = accounts[2]?.key ?? '';
    const refused = await ask(last);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(refused.headers.has('retry-after')).toBe(false);
    const { error }: Answer = await refused.json();
    expect(error).toMatchObject({ code: 'free_daily_limit', limit: 5, used: 5, resets_at: '2026-06-10T16:00:00.000Z' });
    expect(error.message).toContain('from this address');
    expect(await used(last)).toEqual([1, 1]);

    expect((await ask(last, OTHER)).status).toBe(200);
    gateway.upstream.next(chatAnswer());
    expect((await ask(last, ONE, 'up-paid')).status).toBe(200);
  });

  test('exact among 80 at once of twenty accounts, and new at midnight in Taipei', async () => {
    await start(37);
    const accounts = await Promise.all(Array.from({ length: 20 }, () => gateway.register()));
    const race = () => Promise.all(Array.from({ length: 80 }, (_, n) => ask(accounts[n % 20]?.key ?? '')));
    const served = async () => (await race()).filter(({ status }) => status === 200).length;
    expect(await served()).toBe(37);
    await passTime(gateway, clock, 9 * HOUR_MS - 1);
    expect(await served()).toBe(0);
    await clock.advance(1);
    expect(await served()).toBe(37);
    clock.step(-1_000);
    expect(await served()).toBe(0);
  });

  test('IPv6 shares by its /64', async () => {
    await start(1);
    const { key } = await gateway.register();
    expect((await ask(key, '2001:db8:1:2::1')).status).toBe(200);
    expect((await ask(key, '2001:db8:1:2::2')).status).toBe(429);
    expect((await ask(key, '2001:db8:1:3::1')).status).toBe(200);
  });

  test('a slot comes back when we fail', async () => {
    // Retries wait, so time must pass by itself.
    await start(2, { isRealTime: true });
    const { key } = await gateway.register();
    gateway.upstream.otherwise(errorScript(500, { message: 'broken' }));
    for (let i = 0; i < 5; i++) expect((await ask(key, ONE, 'up-free')).status).toBeGreaterThanOrEqual(500);
    expect(windows()).toEqual([{ day_count: 0n }]);
    expect(await used(key)).toEqual([0, 0]);
    expect([await ask(key), await ask(key), await ask(key)].map(({ status }) => status)).toEqual([200, 200, 429]);
  });

  test('a slot comes back when a bug of ours makes it impossible to settle', async () => {
    await start(1);
    const { key } = await gateway.register();
    const { store } = gateway.gateway;
    const { commit } = store;
    // No such cost is accepted.
    const breaks = spyOn(store, 'commit').mockImplementation((name, input) =>
      commit(name, name === 'settle' ? { ...input, cost: -1n } : input),
    );
    await (await ask(key)).text();
    expect(gateway.log.alarms('close_failed')).toHaveLength(1);
    expect(windows()).toEqual([{ day_count: 0n }]);
    breaks.mockRestore();
    expect((await ask(key)).status).toBe(200);
  });

  test('a slot stays taken when the client leaves', async () => {
    await start(2, { isRealTime: true });
    const { key } = await gateway.register();
    gateway.upstream.next(cutAt(chatAnswer(), 'head', 'stall'));
    const leaving = new AbortController();
    const call = ask(key, ONE, 'up-free', leaving.signal);
    await gateway.upstream.request(0);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await eventually('its end', () => gateway.sql('SELECT 1 FROM holds').length === 0);
    expect(windows()).toEqual([{ day_count: 1n }]);
    expect([await ask(key), await ask(key)].map(({ status }) => status)).toEqual([200, 429]);
  });

  test('the address is stored as a keyed hash, and gone 48 hours after its last call', async () => {
    await start(5);
    const { key } = await gateway.register();
    await ask(key);
    const stored = JSON.stringify(gateway.sql('SELECT window_id FROM windows'));
    expect(stored).toMatch(/free:address:[0-9a-f]{64}/);
    expect(stored).not.toContain(ONE);
    const forget = spyOn(gateway.gateway.store, 'forget');
    clock.step(47 * HOUR_MS + 40 * 60_000);
    await clock.advance(600_000);
    expect(forget).toHaveBeenCalledTimes(1);
    await forget.mock.results[0]?.value;
    expect(windows()).toHaveLength(1);
    clock.step(600_000);
    await eventually('the address to be forgotten', async () => {
      await clock.advance(60_000);
      return windows().length === 0;
    });
  });

  test('survives a restart', async () => {
    await start(1);
    const { key } = await gateway.register();
    expect((await ask(key)).status).toBe(200);
    const { dataDir } = gateway;
    await gateway.gateway.drain(0);
    const second = await startTestGateway({
      clock,
      dataDir,
      env: { TRUSTED_PROXIES: '127.0.0.1' },
      document: (doc) => ({ ...doc, guards: { ...doc.guards, free_per_address_day: 1 } }),
    });
    const headers = { 'x-forwarded-for': ONE };
    expect((await second.chat(key, { model: 'auto:free' }, { headers })).status).toBe(429);
    await second.stop();
  });
});

test('without it nothing of an address is counted or kept', async () => {
  await start(null);
  const { key } = await gateway.register();
  for (let i = 0; i < 20; i++) expect((await ask(key)).status).toBe(200);
  expect(windows()).toEqual([]);
});
