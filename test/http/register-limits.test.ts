// How often an address may register, and the whole site: exact under a race, honest about the address, by Taipei's day.

import { afterEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { passTime } from '../support/pass-time.ts';

const HOUR_MS = 3_600_000;
const REAL = { register_per_ip: 3, register_per_day: 200 };
let gateway: TestGateway;
afterEach(() => gateway.stop());

const register = (headers: Record<string, string> = {}) => gateway.call('/api/agent/register', { body: {}, headers });
const from = (address: string) => register({ 'x-forwarded-for': address });
const count = (table: string) => Number(gateway.sql<{ n: bigint }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n);

describe('per address', () => {
  test('three of fifty racers get a key, and the rest leave nothing behind', async () => {
    gateway = await startTestGateway({ limits: REAL });
    const responses = await Promise.all(Array.from({ length: 50 }, () => register()));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(47);
    for (const table of ['accounts', 'keys', 'wallets', 'entries']) expect(count(table), table).toBe(3);
    expect(gateway.audit()).toEqual([]);

    const refused = responses.find(({ status }) => status === 429) as Response;
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(refused.headers.has('retry-after')).toBe(false);
    const { error }: Answer = await refused.json();
    expect(error).toMatchObject({ code: 'registration_ip_limit', type: 'rate_limit_error', limit: 3, used: 3 });
    expect(Date.parse(error.resets_at)).toBeGreaterThan(Date.now() + 23 * HOUR_MS);
  });

  test('the span rolls: a slot opens 24 h after it was taken, not before', async () => {
    const clock = createManualClock();
    gateway = await startTestGateway({ limits: REAL, clock });
    expect((await register()).status).toBe(201);
    await passTime(gateway, clock, HOUR_MS);
    expect((await register()).status).toBe(201);
    expect((await register()).status).toBe(201);
    await passTime(gateway, clock, 23 * HOUR_MS - 1);
    const refused = await register();
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as Answer).error.resets_at).toBe(new Date(clock.now() + 1).toISOString());
    await clock.advance(1);
    expect((await register()).status).toBe(201);
    expect((await register()).status).toBe(429);
  });

  test('survives a restart', async () => {
    gateway = await startTestGateway({ limits: REAL });
    for (let i = 0; i < 3; i++) await register();
    const { dataDir } = gateway;
    await gateway.gateway.drain(0);
    const second = await startTestGateway({ limits: REAL, dataDir });
    expect((await second.call('/api/agent/register', { body: {} })).status).toBe(429);
    await second.stop();
  });

  test('addresses are stored as keyed hashes only', async () => {
    gateway = await startTestGateway({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    await from('203.0.113.77');
    const stored = JSON.stringify(gateway.sql('SELECT window_id, slots FROM windows'));
    expect(stored).toMatch(/register:address:[0-9a-f]{64}/);
    expect(stored).not.toContain('203.0.113.77');
    expect(stored).not.toContain('cb00714d');
  });
});

describe('per IPv6 network', () => {
  const start = async () => {
    gateway = await startTestGateway({ limits: REAL, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  };
  const hex = (n: number) => n.toString(16);
  /** How many of these register, one after the other. */
  async function registered(addresses: readonly string[]): Promise<number> {
    let count = 0;
    for (const address of addresses) if ((await from(address)).status === 201) count++;
    return count;
  }

  test('199 addresses of one /48 get 48 of the day’s 200, and others register on', async () => {
    await start();
    const many = Array.from({ length: 199 }, (_, n) => `2001:db9:1:${hex(n * 256)}::1`);
    expect(await registered(many)).toBe(48);
    const refused: Answer = await (await from('2001:db9:1:ff00::1')).json();
    expect(refused.error).toMatchObject({ code: 'registration_ip_limit', limit: 48, used: 48 });
    expect(refused.error.message).toMatch(
      /^The network of this address \(IPv6 \/48\) has registered 48 accounts in the last 24 hours. Use a key you already have, or retry in 24 h\.$/,
    );
    expect(await registered(['2001:db9:2::1', '203.0.113.7'])).toBe(2);
  });

  test('addresses of one /56 get 12, and those of one /64 get 3', async () => {
    await start();
    expect(await registered(Array.from({ length: 5 }, (_, n) => `2001:db9:1:${hex(0)}::${hex(n)}`))).toBe(3);
    expect(await registered(Array.from({ length: 50 }, (_, n) => `2001:db9:1:${hex(n)}::1`))).toBe(9);
    const { error }: Answer = await (await from('2001:db9:1:ff::1')).json();
    expect(error.message).toContain('(IPv6 /56) has registered 12 accounts');
    expect((await from('2001:db9:1:100::1')).status).toBe(201);
  });

  test('IPv4 addresses have no wider network', async () => {
    await start();
    expect(await registered(Array.from({ length: 60 }, (_, n) => `203.0.113.${n + 1}`))).toBe(60);
  });

  test('networks are stored as keyed hashes only', async () => {
    await start();
    await from('2001:db9:77:8800::1');
    const ids = gateway.sql<{ window_id: string }>(`SELECT window_id FROM windows WHERE window_id LIKE '%:address:%'`);
    expect(ids.map(({ window_id: id }) => id)).toEqual(
      Array(3).fill(expect.stringMatching(/^register:address:[0-9a-f]{64}$/)),
    );
  });
});

describe('the address', () => {
  test('is the peer: X-Forwarded-For changes nothing without trusted proxies', async () => {
    gateway = await startTestGateway({ limits: REAL });
    const statuses: number[] = [];
    for (let i = 1; i <= 5; i++) statuses.push((await from(`203.0.113.${i}`)).status);
    expect(statuses).toEqual([201, 201, 201, 429, 429]);
  });

  const TRUST = { env: { TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8, 2001:db8:ffff::/48' } };
  const only = async (limits: Record<string, number>) => startTestGateway({ limits, ...TRUST });

  test('behind trusted proxies is the right-most one they do not own', async () => {
    gateway = await only({ register_per_ip: 1 });
    expect((await from('203.0.113.1')).status).toBe(201);
    expect((await from('198.51.100.9, 203.0.113.1')).status).toBe(429);
    expect((await from('203.0.113.1, 198.51.100.9')).status).toBe(201);
    expect((await from('6.6.6.6, 203.0.113.1, 10.1.2.3')).status).toBe(429);
    expect((await from('203.0.113.1, 2001:db8:ffff::7')).status).toBe(429);
    expect((await from('not-an-address, 203.0.113.1')).status).toBe(429);
  });

  test('of IPv6 counts by its /64', async () => {
    gateway = await only({ register_per_ip: 1 });
    expect((await from('2001:db8:1:2::1')).status).toBe(201);
    expect((await from('2001:db8:1:2:ffff:ffff:ffff:ffff')).status).toBe(429);
    expect((await from('2001:0DB8:0001:0002::abcd')).status).toBe(429);
    expect((await from('2001:db8:1:3::1')).status).toBe(201);
  });

  test('that is mapped into IPv6 is the IPv4 address', async () => {
    gateway = await only({ register_per_ip: 1 });
    expect((await from('203.0.113.5')).status).toBe(201);
    expect((await from('::ffff:203.0.113.5')).status).toBe(429);
    expect((await from('::ffff:cb00:7105')).status).toBe(429);
    expect((await from('::ffff:203.0.113.6')).status).toBe(201);
  });
});

describe('the whole site', () => {
  test('has a number per day in Taipei, exact under a race', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 15, 15, 59, 50));
    gateway = await startTestGateway({ limits: { register_per_day: 4 }, clock });
    const raced = await Promise.all(Array.from({ length: 20 }, () => register()));
    expect(raced.filter(({ status }) => status === 201)).toHaveLength(4);
    const refused = raced.find(({ status }) => status === 429) as Response;
    expect(await refused.json()).toMatchObject({
      error: { code: 'registration_site_limit', limit: 4, used: 4, resets_at: '2026-01-15T16:00:00.000Z' },
    });
    expect(count('accounts')).toBe(4);

    await clock.advance(9_999);
    expect((await register()).status).toBe(429);
    await clock.advance(1);
    expect((await register()).status).toBe(201);
  });

  test('does not begin a day again when the clock steps back over midnight', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 15, 16, 0, 1));
    gateway = await startTestGateway({ limits: { register_per_day: 1 }, clock });
    expect((await register()).status).toBe(201);
    clock.step(-2_000);
    expect((await register()).status).toBe(429);
    clock.step(-86_400_000);
    expect((await register()).status).toBe(429);
  });
});

test.each([
  ['register_per_ip', 'registration_ip_limit'],
  ['register_per_day', 'registration_site_limit'],
])('where %s is 0, no time is told', async (limit, code) => {
  gateway = await startTestGateway({ limits: { [limit]: 0 } });
  const refused = await register();
  expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([429, 'false']);
  expect(refused.headers.has('retry-after')).toBe(false);
  expect(refused.headers.get('x-ratelimit-reset-requests')).not.toBe('0s');
  const { error }: Answer = await refused.json();
  expect(error).toMatchObject({
    code,
    limit: 0,
    used: 0,
    message: expect.stringContaining('accepts no registrations'),
  });
  expect(error).not.toHaveProperty('resets_at');
});
