// Guards of the registration beside its limits: how often an address may knock, and a pace for the whole site.

import { afterEach, describe, expect, test } from 'bun:test';
import { textToSlots } from '../../src/store/slots-text.ts';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { passTime } from '../support/pass-time.ts';

const MINUTE_MS = 60_000;
let gateway: TestGateway;
let clock: ManualClock;
afterEach(() => gateway.stop());

async function start(guards: Record<string, number | null>, limits: Record<string, number> = {}): Promise<void> {
  clock = createManualClock();
  gateway = await startTestGateway({
    clock,
    limits,
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    document: (doc) => ({ ...doc, guards: { ...doc.guards, ...guards } }),
  });
}
const register = (address = '203.0.113.1', rest: { body?: unknown; headers?: Record<string, string> } = {}) =>
  gateway.call('/api/agent/register', {
    body: rest.body ?? {},
    headers: { 'x-forwarded-for': address, ...rest.headers },
  });
const statuses = async (count: number, call: () => Promise<Response>) => {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) seen.push((await call()).status);
  return seen;
};
const accounts = () => Number(gateway.sql<{ n: bigint }>('SELECT count(*) AS n FROM accounts')[0]?.n);
const error = async (response: Response): Promise<Answer> => ((await response.json()) as Answer).error;

describe('requests to register', () => {
  test('are thirty a minute for an address, refused ones included', async () => {
    await start({ register_attempts_per_minute: 30 }, { register_per_ip: 3 });
    const seen = await statuses(30, register);
    expect(seen.slice(0, 3)).toEqual([201, 201, 201]);
    await clock.advance(1_000);
    expect(await error(await register())).toMatchObject({
      code: 'rate_limited',
      type: 'rate_limit_error',
      limit: 30,
      used: 30,
      resets_at: new Date(clock.now() + 59_000).toISOString(),
    });
    const refused = await register();
    expect(refused.headers.get('retry-after')).toBe('55');
    const told = await error(refused);
    expect(told.message).toStartWith('Too many registration requests');
    // Nothing but time helps one that has no key yet.
    expect(told).not.toHaveProperty('actions');
    expect((await register('203.0.113.2')).status).toBe(201);
    expect(accounts()).toBe(4);

    await clock.advance(58_999);
    expect((await error(await register())).code).toBe('rate_limited');
    await clock.advance(1);
    expect((await error(await register())).code).toBe('registration_ip_limit');
  });

  test('are counted with bad bodies and repeated Idempotency-Keys, but not for what a web page sends', async () => {
    await start({ register_attempts_per_minute: 4 });
    const page = { headers: { 'sec-fetch-site': 'cross-site' } };
    expect(await statuses(10, () => register('203.0.113.1', page))).toEqual(Array.from({ length: 10 }, () => 403));
    const twin = { headers: { 'idempotency-key': 'one and the same registration' } };
    expect(await statuses(2, () => register('203.0.113.1', twin))).toEqual([201, 201]);
    expect(await statuses(3, () => register('203.0.113.1', { body: '{' }))).toEqual([400, 400, 429]);
    expect(accounts()).toBe(1);
  });

  test('are exact among a hundred at once', async () => {
    await start({ register_attempts_per_minute: 30 });
    const raced = await Promise.all(Array.from({ length: 100 }, () => register()));
    expect(raced.filter(({ status }) => status === 201)).toHaveLength(30);
    expect(accounts()).toBe(30);
  });

  test('are not counted when the guard is off', async () => {
    await start({ register_attempts_per_minute: null });
    expect(new Set(await statuses(60, register))).toEqual(new Set([201]));
  });
});

describe('registrations of an hour', () => {
  test('are paced over all addresses, rolling, and exact under a race', async () => {
    await start({ register_per_hour: 5 });
    let address = 0;
    const another = () => register(`198.51.100.${++address}`);
    expect(await statuses(2, another)).toEqual([201, 201]);
    await passTime(gateway, clock, 20 * MINUTE_MS);
    const raced = await Promise.all(Array.from({ length: 50 }, another));
    expect(raced.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(accounts()).toBe(5);

    const refused = await another();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(refused.headers.has('retry-after')).toBe(false);
    expect(await error(refused)).toMatchObject({
      code: 'registration_site_limit',
      message: expect.stringContaining('of this hour'),
      limit: 5,
      used: 5,
      resets_at: new Date(clock.now() + 40 * MINUTE_MS).toISOString(),
    });

    await passTime(gateway, clock, 40 * MINUTE_MS - 1);
    expect((await another()).status).toBe(429);
    await clock.advance(1);
    expect(await statuses(3, another)).toEqual([201, 201, 429]);
  });

  test('leave the limits of the address and the day as they are: what is refused takes no slot of them', async () => {
    await start({ register_per_hour: 1 }, { register_per_ip: 2, register_per_day: 2 });
    expect(await statuses(4, register)).toEqual([201, 429, 429, 429]);
    await passTime(gateway, clock, 60 * MINUTE_MS);
    expect((await register()).status).toBe(201);
    await passTime(gateway, clock, 60 * MINUTE_MS);
    expect((await error(await register('203.0.113.9'))).message).toContain('midnight in Taipei');
  });

  test('survive a restart and a clock that steps back', async () => {
    await start({ register_per_hour: 1 });
    expect((await register()).status).toBe(201);
    clock.step(-3 * 60 * MINUTE_MS);
    expect((await register('203.0.113.2')).status).toBe(429);
    const { dataDir } = gateway;
    await gateway.gateway.drain(0);
    const second = await startTestGateway({
      clock,
      dataDir,
      document: (doc) => ({ ...doc, guards: { ...doc.guards, register_per_hour: 1 } }),
    });
    expect((await second.call('/api/agent/register', { body: {} })).status).toBe(429);
    await second.stop();
  });

  test('are not paced unless an operator says so', async () => {
    await start({ register_per_hour: null });
    expect(new Set(await statuses(40, register))).toEqual(new Set([201]));
  });

  test('count for a guard that is set in the middle of a wave', async () => {
    await start({ register_per_hour: null });
    expect(await statuses(2, register)).toEqual([201, 201]);
    await passTime(gateway, clock, 20 * MINUTE_MS);
    expect((await register()).status).toBe(201);
    await gateway.apply((doc) => ({ ...doc, guards: { ...doc.guards, register_per_hour: 4 } }));
    expect(await statuses(2, register)).toEqual([201, 429]);
    // Those of before count up to a minute longer.
    await passTime(gateway, clock, 41 * MINUTE_MS);
    expect(await statuses(3, register)).toEqual([201, 201, 429]);
  });

  test('take one entry a minute while no guard asks for them', async () => {
    await start({ register_per_hour: null });
    await statuses(40, register);
    await clock.advance(MINUTE_MS);
    await statuses(2, register);
    const [row] = gateway.sql<{ slots: string }>(`SELECT slots FROM windows WHERE window_id = 'register:hour'`);
    expect(textToSlots(row?.slots ?? '').map(([, count]) => count)).toEqual([40, 2]);
  });
});
