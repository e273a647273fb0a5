// Guesses of card codes: 5 in ten minutes and 20 a day for an account, 20 an hour for an address. They cost the guesser
// and never the card.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard, unissuedCode } from '../support/issue-cards.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { passTime } from '../support/pass-time.ts';

const MINUTE_MS = 60_000;
let gateway: TestGateway;
let clock: ManualClock;

beforeEach(async () => {
  // Noon in Taipei: twelve hours to the next day.
  clock = createManualClock(Date.UTC(2026, 0, 15, 4, 0, 0));
  gateway = await startTestGateway({ clock, env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterEach(() => gateway.stop());

const redeem = (key: string, code: string, address = '198.51.100.1') =>
  gateway.call('/api/redeem', { key, body: { code }, headers: { 'x-forwarded-for': address } });
const statuses = async (count: number, call: () => Promise<Response>) => {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) seen.push((await call()).status);
  return seen;
};
const times = (count: number, status: number) => Array.from({ length: count }, () => status);

describe('an account', () => {
  test('has 5 wrong guesses in ten minutes, rolling', async () => {
    const { key } = await gateway.register();
    const guess = () => redeem(key, unissuedCode());
    expect((await guess()).status).toBe(404);
    await passTime(gateway, clock, 4 * MINUTE_MS);
    expect(await statuses(5, guess)).toEqual([...times(4, 404), 429]);

    const refused = await guess();
    const { error }: Answer = await refused.json();
    expect(error).toMatchObject({
      code: 'redeem_rate_limited',
      type: 'rate_limit_error',
      limit: 5,
      used: 5,
      resets_at: new Date(clock.now() + 6 * MINUTE_MS).toISOString(),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 56);

    await passTime(gateway, clock, 6 * MINUTE_MS - 1);
    expect((await guess()).status).toBe(429);
    await clock.advance(1);
    expect(await statuses(2, guess)).toEqual([404, 429]);
  });

  test('has 20 a day of Taipei, however slowly', async () => {
    const { key } = await gateway.register();
    let address = 0;
    const guess = () => redeem(key, unissuedCode(), `198.51.100.${++address}`);
    for (let i = 0; i < 20; i++) {
      expect((await guess()).status).toBe(404);
      await passTime(gateway, clock, 11 * MINUTE_MS);
    }
    const refused = await guess();
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as Answer).error).toMatchObject({
      code: 'redeem_rate_limited',
      limit: 20,
      used: 20,
      resets_at: '2026-01-15T16:00:00.000Z',
    });
    await passTime(gateway, clock, Date.UTC(2026, 0, 15, 16) - clock.now() - 1);
    expect((await guess()).status).toBe(429);
    await clock.advance(1);
    expect((await guess()).status).toBe(404);
  });

  test('has no more under a race', async () => {
    const { key } = await gateway.register();
    const raced = await Promise.all(Array.from({ length: 40 }, () => redeem(key, unissuedCode())));
    expect(raced.filter(({ status }) => status === 404)).toHaveLength(5);
    expect(raced.filter(({ status }) => status === 429)).toHaveLength(35);
  });

  test('keeps its count over a restart', async () => {
    const { key } = await gateway.register();
    await statuses(5, () => redeem(key, unissuedCode()));
    await gateway.gateway.drain(0);
    const second = await startTestGateway({ clock, dataDir: gateway.dataDir, env: { TRUSTED_PROXIES: '127.0.0.1' } });
    try {
      expect((await second.call('/api/redeem', { key, body: { code: unissuedCode() } })).status).toBe(429);
    } finally {
      await second.stop();
    }
  });

  test('whose guesses are used up cannot redeem, and finds the card as it was when they come back', async () => {
    const { key } = await gateway.register();
    const { code } = await issueCard(gateway);
    await statuses(5, () => redeem(key, unissuedCode()));
    expect((await redeem(key, code)).status).toBe(429);
    await passTime(gateway, clock, 10 * MINUTE_MS);
    expect((await redeem(key, code)).status).toBe(200);
  });

  test('whose guesses are used up still hears that its own card was redeemed, and nothing of another’s', async () => {
    const [one, other] = [await gateway.register(), await gateway.register()];
    const [own, foreign] = [await issueCard(gateway), await issueCard(gateway)];
    await redeem(one.key, own.code);
    await redeem(other.key, foreign.code);
    await statuses(5, () => redeem(one.key, unissuedCode()));
    const again = await redeem(one.key, own.code);
    expect(again.status).toBe(200);
    expect(await again.json()).toMatchObject({ card_serial: own.serial, already_redeemed: true });
    expect((await redeem(one.key, foreign.code)).status).toBe(429);
  });

  test('spends no guess on cards that are good, or its own already', async () => {
    const { key } = await gateway.register();
    for (let i = 0; i < 7; i++) {
      const { code } = await issueCard(gateway);
      expect(await statuses(2, () => redeem(key, code))).toEqual([200, 200]);
    }
    expect(await statuses(6, () => redeem(key, unissuedCode()))).toEqual([...times(5, 404), 429]);
  });
});

describe('an address', () => {
  test('has 20 wrong guesses an hour, over all accounts', async () => {
    for (let account = 0; account < 4; account++) {
      const { key } = await gateway.register();
      expect(await statuses(5, () => redeem(key, unissuedCode()))).toEqual(times(5, 404));
    }
    const { key } = await gateway.register();
    const refused = await redeem(key, unissuedCode());
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as Answer).error).toMatchObject({
      code: 'redeem_rate_limited',
      limit: 20,
      used: 20,
    });
    expect((await redeem(key, unissuedCode(), '198.51.100.2')).status).toBe(404);

    await passTime(gateway, clock, 60 * MINUTE_MS - 1);
    expect((await redeem(key, unissuedCode())).status).toBe(429);
    await clock.advance(1);
    expect((await redeem(key, unissuedCode())).status).toBe(404);
  });

  test('is stored only as a keyed hash', async () => {
    const { key } = await gateway.register();
    await redeem(key, unissuedCode(), '203.0.113.77');
    const stored = JSON.stringify(gateway.sql(`SELECT window_id FROM windows`));
    expect(stored).toMatch(/redeem:address:[0-9a-f]{64}/);
    expect(stored).not.toContain('203.0.113.77');
  });
});

test('a card is never locked: after a hundred failures of others its code works at once', async () => {
  const { code, serial, hash } = await issueCard(gateway);
  for (let account = 0; account < 10; account++) {
    const { key } = await gateway.register();
    await Promise.all(Array.from({ length: 10 }, () => redeem(key, unissuedCode(), `203.0.113.${account}`)));
  }
  expect(gateway.sql('SELECT state FROM cards WHERE hash = ?', hash)).toEqual([{ state: 'issued' }]);
  const { key } = await gateway.register();
  const response = await redeem(key, code, '203.0.113.200');
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ card_serial: serial, already_redeemed: false });
});
