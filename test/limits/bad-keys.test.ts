// Guessing keys: from the 31st bad key of a minute on, an address is told to wait. A good key passes whatever came before.

import { afterEach, describe, expect, test } from 'bun:test';
import { keyFromSecret } from '../../src/accounts/keys/key-format.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';

const MOST = 30;
const PROXY = { env: { TRUSTED_PROXIES: '127.0.0.1' } };
let gateway: TestGateway;
let clock: ManualClock;
afterEach(() => gateway.stop());

async function start(guards: Record<string, number | null> = {}, options: TestGatewayOptions = {}): Promise<void> {
  clock = createManualClock();
  gateway = await startTestGateway({
    clock,
    ...options,
    document: (doc) => ({ ...doc, guards: { ...doc.guards, ...guards } }),
  });
}
const knock = (key: string | undefined, address?: string, path = '/v1/models') =>
  gateway.call(path, { key, headers: address === undefined ? {} : { 'x-forwarded-for': address } });
const statuses = async (count: number, call: () => Promise<Response>) => {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) seen.push((await call()).status);
  return seen;
};
const times = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);

describe('thirty bad keys a minute', () => {
  test('get 401; the next gets 429 with a wait and a remedy', async () => {
    await start();
    expect(await statuses(MOST, () => knock('bad'))).toEqual(times(MOST, 401));
    await clock.advance(2_000);
    const refused = await knock('bad');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('55');
    const { error }: Answer = await refused.json();
    expect(error).toMatchObject({ code: 'auth_rate_limited', type: 'rate_limit_error', limit: MOST, used: MOST });
    expect(error.message).toStartWith('Too many invalid keys');
    expect(error.actions[0].href).toEndWith('/api/agent/register');
    expect(error.resets_at).toBe(new Date(clock.now() + 58_000).toISOString());

    await clock.advance(40_000);
    const later = await knock('bad');
    expect(later.headers.get('retry-after')).toBe('18');
  });

  test('of every sort count together: none, malformed, unknown, revoked', async () => {
    await start({ bad_keys_per_minute: 4 });
    const { key } = await gateway.register();
    const revoked = await createKey(gateway, key);
    await gateway.call(`/api/keys/${revoked.id}`, { key, method: 'DELETE' });
    const unknown = keyFromSecret(new Uint8Array(32).fill(7));
    for (const bad of [undefined, 'garbage', unknown, revoked.key]) expect((await knock(bad)).status).toBe(401);
    for (const bad of [undefined, 'garbage', unknown, revoked.key]) expect((await knock(bad)).status).toBe(429);
  });

  test('count, too, of clients that hang up before the key is looked up', async () => {
    await start({ bad_keys_per_minute: 4 });
    const { read } = gateway.gateway.store;
    const { keyByHash } = read;
    const gate = createGate();
    let asked = 0;
    let answered = 0;
    read.keyByHash = async (hash) => {
      asked++;
      await gate.opened;
      return keyByHash(hash).finally(() => answered++);
    };
    const leaving = new AbortController();
    const { signal } = leaving;
    const gone = Array.from({ length: 4 }, (_, n) => {
      const authorization = `Bearer ${keyFromSecret(new Uint8Array(32).fill(n + 1))}`;
      return fetch(`${gateway.url}/v1/models`, { headers: { authorization }, signal }).catch(() => 'gone');
    });
    await eventually('all are looked up', () => asked === 4);
    leaving.abort();
    expect(await Promise.all(gone)).toEqual(times(4, 'gone'));
    // The server hears of it before it can answer another.
    expect((await gateway.call('/healthz')).status).toBe(200);
    gate.open();
    await eventually('all are found to be bad', () => answered === 4);
    expect((await gateway.call('/healthz')).status).toBe(200);
    expect((await knock('bad')).status).toBe(429);
  });

  test('are exact among a hundred at once', async () => {
    await start();
    const raced = await Promise.all(Array.from({ length: 100 }, () => knock('bad')));
    expect(raced.filter(({ status }) => status === 401)).toHaveLength(MOST);
    expect(raced.filter(({ status }) => status === 429)).toHaveLength(100 - MOST);
  });

  test('do not keep a good key from the same address out, nor does it open the door for others', async () => {
    await start();
    const { key } = await gateway.register();
    await statuses(MOST, () => knock('bad'));
    for (let i = 0; i < 5; i++) {
      expect((await knock(key)).status).toBe(200);
      expect((await knock('bad')).status).toBe(429);
    }
    expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(200);
  });

  test('are forgotten one by one as each is a minute old', async () => {
    await start({ bad_keys_per_minute: 2 });
    await knock('bad');
    await clock.advance(30_000);
    await knock('bad');
    await clock.advance(29_999);
    expect((await knock('bad')).status).toBe(429);
    await clock.advance(1);
    expect(await statuses(2, () => knock('bad'))).toEqual([401, 429]);
    await clock.advance(60_000);
    expect(await statuses(3, () => knock('bad'))).toEqual([401, 401, 429]);
  });

  test('of yesterday or tomorrow are those of now: a stepped clock changes nothing', async () => {
    await start({ bad_keys_per_minute: 1 });
    await knock('bad');
    clock.step(86_400_000);
    expect((await knock('bad')).status).toBe(429);
    clock.step(-2 * 86_400_000);
    expect((await knock('bad')).status).toBe(429);
  });

  test('use the error format of /v1/messages there', async () => {
    await start({ bad_keys_per_minute: 1 });
    await knock('bad');
    const refused = await gateway.call('/v1/messages', { key: 'bad', body: {} });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error', code: 'auth_rate_limited' },
    });
  });

  test('leave nothing in the database', async () => {
    await start();
    const before = gateway.sql('SELECT window_id FROM windows');
    await statuses(MOST + 5, () => knock('bad'));
    expect(gateway.sql('SELECT window_id FROM windows')).toEqual(before);
  });
});

describe('an address', () => {
  test('behind a trusted proxy is the client’s: others are untouched', async () => {
    await start({ bad_keys_per_minute: 3 }, PROXY);
    const bad = (address: string) => knock('bad', address);
    expect(await statuses(4, () => bad('203.0.113.1'))).toEqual([401, 401, 401, 429]);
    expect((await bad('203.0.113.2')).status).toBe(401);
    expect((await bad('2001:db8:1:2::1')).status).toBe(401);
    expect(await statuses(3, () => bad('2001:db8:1:2::ffff'))).toEqual([401, 401, 429]);
    expect((await bad('::ffff:203.0.113.1')).status).toBe(429);
  });

  test('that a client claims for itself changes nothing', async () => {
    await start({ bad_keys_per_minute: 3 });
    let n = 0;
    expect(await statuses(5, () => knock('bad', `203.0.113.${++n}`))).toEqual([401, 401, 401, 429, 429]);
  });
});

test('null switches it off', async () => {
  await start({ bad_keys_per_minute: null });
  expect(await statuses(60, () => knock('bad'))).toEqual(times(60, 401));
});
