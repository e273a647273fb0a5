// Who calls: an address cannot be claimed (S18), a web page cannot register for its visitors (S39), and cards cannot be
// found by trying (S20, S21).

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import type { TestGateway } from '../support/gateway.ts';
import { issueCard, unissuedCode } from '../support/issue-cards.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { passTime } from '../support/pass-time.ts';
import { startSecure } from './start-secure.ts';
import { undisturbed } from './undisturbed.ts';

const register = (gateway: TestGateway, headers: Record<string, string> = {}, method = 'POST') =>
  gateway.call('/api/agent/register', { method, headers, ...(method === 'GET' ? {} : { body: {} }) });

describe('S18 an address that is only claimed', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.stop());
  const CLAIMS: ((address: string) => Record<string, string>)[] = [
    (address) => ({ 'x-forwarded-for': address }),
    (address) => ({ 'x-forwarded-for': `${address}, 127.0.0.1` }),
    (address) => ({ 'x-forwarded-for': `127.0.0.1, ${address}` }),
    (address) => ({
      'x-real-ip': address,
      'x-client-ip': address,
      'cf-connecting-ip': address,
      'true-client-ip': address,
    }),
    (address) => ({ forwarded: `for=${address}` }),
    (address) => ({ via: address, 'x-forwarded': address, 'x-cluster-client-ip': address }),
  ];

  test('S18 changes nothing without trusted proxies', async () => {
    gateway = await startSecure({ limits: { register_per_ip: 3 } });
    const statuses: number[] = [];
    for (const [n, claim] of CLAIMS.entries()) {
      statuses.push((await register(gateway, claim(`203.0.113.${n + 1}`))).status);
    }
    expect(statuses).toEqual([201, 201, 201, 429, 429, 429]);
  });

  test('S18 changes nothing when another proxy is trusted than the one that calls', async () => {
    gateway = await startSecure({ limits: { register_per_ip: 1 }, env: { TRUSTED_PROXIES: '10.0.0.0/8' } });
    expect((await register(gateway, { 'x-forwarded-for': '203.0.113.1' })).status).toBe(201);
    for (const claim of CLAIMS) expect((await register(gateway, claim('203.0.113.2'))).status).toBe(429);
  });

  test('S18 counts behind a trusted proxy only where the proxy itself wrote it', async () => {
    gateway = await startSecure({ limits: { register_per_ip: 1 }, env: { TRUSTED_PROXIES: '127.0.0.1' } });
    expect((await register(gateway, { 'x-forwarded-for': '203.0.113.1' })).status).toBe(201);
    for (let n = 0; n < 5; n++) {
      const forged = `198.51.100.${n}, 127.0.0.1, not an address, 203.0.113.1`;
      expect((await register(gateway, { 'x-forwarded-for': forged, 'x-real-ip': '192.0.2.1' })).status).toBe(429);
    }
  });
});

describe('S39 a web page', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startSecure();
  });
  afterAll(() => gateway.stop());
  const accounts = () => gateway.sql('SELECT * FROM accounts').length;

  const PAGES: [what: string, headers: Record<string, string>][] = [
    ['of another site', { origin: 'https://page.example', 'sec-fetch-site': 'cross-site' }],
    ['of another site, in an old browser', { origin: 'https://page.example' }],
    ['of a neighbour', { origin: 'https://other.example', 'sec-fetch-site': 'same-site' }],
    ['without an origin', { origin: 'null' }],
    ['in a frame without an origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['that posts a form', { origin: 'https://page.example', 'content-type': 'application/x-www-form-urlencoded' }],
    ['that posts text', { origin: 'https://page.example', 'content-type': 'text/plain' }],
    ['that posts a file', { origin: 'https://page.example', 'content-type': 'multipart/form-data; boundary=x' }],
    ['that claims to be the service', { origin: 'https://page.example', 'x-forwarded-host': 'page.example' }],
    ['whose name begins like ours', { origin: 'http://127.0.0.1.page.example' }],
    ['on another port of ours', { origin: 'http://127.0.0.1:1' }],
  ];
  test.each(PAGES)('S39 %s cannot register', async (_, headers) => {
    const before = accounts();
    const response = await register(gateway, headers);
    expect(response.status).toBe(403);
    expect(((await response.json()) as Answer).error.code).toBe('cross_site_refused');
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
    expect(accounts()).toBe(before);
  });

  test('S39 cannot register by a link, an image or a preflight either', async () => {
    const before = accounts();
    for (const method of ['GET', 'PUT', 'DELETE']) expect((await register(gateway, {}, method)).status).toBe(405);
    const preflight = await gateway.call('/api/agent/register', {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'POST' },
    });
    for (const [name] of preflight.headers) expect(name).not.toStartWith('access-control-');
    expect(accounts()).toBe(before);
  });

  test('S39 a program, and a page of the service itself, can', async () => {
    expect((await register(gateway)).status).toBe(201);
    expect((await register(gateway, { origin: gateway.url, 'sec-fetch-site': 'same-origin' })).status).toBe(201);
  });
});

describe('cards', () => {
  let gateway: TestGateway;
  let clock: ManualClock;
  beforeAll(async () => {
    clock = createManualClock();
    gateway = await startSecure({ clock, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  });
  afterAll(() => gateway.stop());
  let callers = 0;
  const someone = () => `198.18.${callers >> 8}.${callers++ & 255}`;
  const redeem = (key: string, code: string, address = someone()) =>
    gateway.call('/api/redeem', { key, body: { code }, headers: { 'x-forwarded-for': address } });

  const badCards = async () => {
    const other = await gateway.register();
    const used = await issueCard(gateway);
    expect((await redeem(other.key, used.code)).status).toBe(200);
    const voided = await issueCard(gateway);
    await gateway.gateway.store.commit('void', { hash: voided.hash });
    const expired = await issueCard(gateway, { expiresAt: clock.now() });
    return { unknown: unissuedCode(), used: used.code, voided: voided.code, expired: expired.code };
  };

  test('S20 unknown, used, voided and expired cards get one answer', async () => {
    const { key } = await gateway.register();
    const answers = new Set<string>();
    for (const code of Object.values(await badCards())) {
      const response = await redeem(key, code);
      const id = response.headers.get('x-request-id') ?? '-';
      const headers = [...response.headers].filter(([name]) => name !== 'date');
      answers.add(JSON.stringify([response.status, headers, await response.text()]).replaceAll(id, ''));
    }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toStartWith('[404,');
  });

  test('S20 and in the same time', async () => {
    const cards = Object.entries(await badCards());
    const times = new Map(cards.map(([what]) => [what, [] as number[]]));
    for (let n = 0; n < 60; n++) {
      // A new account each time: its guesses are few.
      const { key } = await gateway.register();
      // And each of them first as often as the others.
      for (const [what, code] of [...cards.slice(n % cards.length), ...cards.slice(0, n % cards.length)]) {
        const since = performance.now();
        await (await redeem(key, code)).text();
        times.get(what)?.push(performance.now() - since);
      }
    }
    const taken = [...times.values()].map((list) => undisturbed(list));
    expect(Math.max(...taken) / Math.min(...taken)).toBeLessThan(2);
  });

  const guesses = async (count: number, key: string, address?: string) => {
    const statuses: number[] = [];
    for (let n = 0; n < count; n++) statuses.push((await redeem(key, unissuedCode(), address)).status);
    return statuses;
  };
  const times = (count: number, status: number) => Array.from({ length: count }, () => status);

  test('S21 an account has 5 guesses in 10 minutes and 20 a day', async () => {
    const { key } = await gateway.register();
    for (let round = 0; round < 4; round++) {
      expect(await guesses(6, key)).toEqual([...times(5, 404), 429]);
      await passTime(gateway, clock, 10 * 60_000);
    }
    expect(await guesses(2, key)).toEqual([429, 429]);
  });

  test('S21 an address has 20 guesses an hour, whoever it says it is', async () => {
    const address = someone();
    const made = await Promise.all(Array.from({ length: 5 }, () => gateway.register()));
    const statuses: number[] = [];
    for (const { key } of made) statuses.push(...(await guesses(5, key, address)));
    expect(statuses).toEqual([...times(20, 404), ...times(5, 429)]);
    expect(await guesses(1, (await gateway.register()).key)).toEqual([404]);
  });

  test('S21 a card that others tried to spoil is as good as new', async () => {
    const { code } = await issueCard(gateway);
    for (let n = 0; n < 3; n++) {
      const { key } = await gateway.register();
      // Guesses until none is left, then the card itself: refused, and nothing happens to it.
      await guesses(5, key);
      expect((await redeem(key, code)).status).toBe(429);
    }
    const { key } = await gateway.register();
    expect((await redeem(key, code)).status).toBe(200);
    expect(gateway.audit()).toEqual([]);
  });
});
