// POST /api/redeem: a card credits once, ever, and whoever has no right to it learns nothing.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard, unissuedCode } from '../support/issue-cards.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { passTime } from '../support/pass-time.ts';

const DAY_MS = 86_400_000;
let gateway: TestGateway;
let clock: ManualClock;

beforeAll(async () => {
  clock = createManualClock();
  gateway = await startTestGateway({ clock, env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => gateway.stop());

let addresses = 0;
/** Each call from an address of its own, so that only the account's guesses are counted. */
const redeem = (key: string, code: unknown) =>
  gateway.call('/api/redeem', {
    key,
    body: { code },
    headers: { 'x-forwarded-for': `198.18.${addresses >> 8}.${addresses++ & 255}` },
  });
const cardEntries = (serial: string) =>
  gateway.sql<{ amount_nano: bigint }>(`SELECT * FROM entries WHERE kind = 'card' AND reference = ?`, serial);
const balanceOf = async (key: string) => BigInt((await gateway.get('/api/me', key)).balance_nano);

describe('a good card', () => {
  test('adds its amount: 200 with exactly these fields', async () => {
    const { key } = await gateway.register();
    const { serial, code } = await issueCard(gateway, { amount: 250_500_000_001n });
    const response = await redeem(key, code);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.has('idempotency-hit')).toBe(false);
    expect(await response.json()).toEqual({
      card_serial: serial,
      amount_ntd: 250.500000001,
      amount_nano: '250500000001',
      credited_ntd: 250.500000001,
      credited_nano: '250500000001',
      balance_ntd: 251.500000001,
      balance_nano: '251500000001',
      already_redeemed: false,
    });
    expect(await balanceOf(key)).toBe(251_500_000_001n);
    expect(gateway.audit()).toEqual([]);
  });

  test('repeated by its account is told so, and credits nothing', async () => {
    const { key } = await gateway.register();
    const { serial, code } = await issueCard(gateway);
    await redeem(key, code);
    for (let i = 0; i < 7; i++) {
      const again = await redeem(key, code);
      expect(again.status).toBe(200);
      expect(await again.json()).toMatchObject({
        card_serial: serial,
        amount_ntd: 100,
        credited_ntd: 0,
        credited_nano: '0',
        balance_ntd: 101,
        already_redeemed: true,
      });
    }
    expect(cardEntries(serial)).toHaveLength(1);
    expect(await balanceOf(key)).toBe(101_000_000_000n);
  });

  test('may be typed with any case, spaces, dashes and look-alike letters', async () => {
    const { key } = await gateway.register();
    const { code } = await issueCard(gateway);
    const typed = ` ${code.toLowerCase().replaceAll('-', ' — ').replaceAll('0', 'o').replaceAll('1', 'l')}\t`;
    expect(await (await redeem(key, typed)).json()).toMatchObject({ already_redeemed: false });
    expect(await (await redeem(key, code.replaceAll('-', ''))).json()).toMatchObject({ already_redeemed: true });
  });

  test.each(['sold', 'promo'] as const)('of kind %s is booked against its own house account', async (kind) => {
    const { key, accountId } = await gateway.register();
    const { serial, code } = await issueCard(gateway, { kind });
    await redeem(key, code);
    expect(cardEntries(serial)).toMatchObject([
      { debit: `house:cards_${kind}`, credit: accountId, amount_nano: 100_000_000_000n },
    ]);
  });
});

describe('refused alike', () => {
  test('unknown, used by another, voided and expired: one body, byte by byte', async () => {
    const { key } = await gateway.register();
    const other = await gateway.register();
    const used = await issueCard(gateway);
    expect((await redeem(other.key, used.code)).status).toBe(200);
    const voided = await issueCard(gateway);
    await gateway.gateway.store.commit('void', { hash: voided.hash });
    const expired = await issueCard(gateway, { expiresAt: clock.now() });

    const answers: unknown[] = [];
    for (const code of [unissuedCode(), used.code, voided.code, expired.code]) {
      const response = await redeem(key, code);
      const requestId = response.headers.get('x-request-id') ?? '';
      const headers = Object.fromEntries(response.headers);
      for (const name of ['x-request-id', 'request-id', 'date']) delete headers[name];
      answers.push({ status: response.status, headers, body: (await response.text()).replaceAll(requestId, '') });
    }
    const [first, ...rest] = answers as [Answer, ...Answer[]];
    expect(first.status).toBe(404);
    expect(JSON.parse(first.body).error).toMatchObject({ code: 'card_not_redeemable', type: 'invalid_request_error' });
    for (const answer of rest) expect(answer).toEqual(first);
    expect(await balanceOf(key)).toBe(1_000_000_000n);
    expect(gateway.audit()).toEqual([]);
  });

  test('a promo card is good until its last millisecond, and not after; a sold one for ever', async () => {
    const { key } = await gateway.register();
    const inTime = await issueCard(gateway, { expiresAt: clock.now() + DAY_MS });
    const late = await issueCard(gateway, { expiresAt: clock.now() + DAY_MS });
    const sold = await issueCard(gateway, { kind: 'sold' });
    await passTime(gateway, clock, DAY_MS - 1);
    expect((await redeem(key, inTime.code)).status).toBe(200);
    await clock.advance(1);
    expect((await redeem(key, late.code)).status).toBe(404);
    await passTime(gateway, clock, 20 * 365 * DAY_MS);
    expect((await redeem(key, sold.code)).status).toBe(200);
    // A card once redeemed stays redeemed for its account, though its time has passed.
    expect(await (await redeem(key, inTime.code)).json()).toMatchObject({ already_redeemed: true });
  });
});

describe('malformed', () => {
  test('a code with one wrong character is 400 card_code_malformed, at each position', async () => {
    const { key } = await gateway.register();
    const { code, serial } = await issueCard(gateway);
    for (let at = 3; at < code.length; at++) {
      if (code[at] === '-') continue;
      const wrong = code.slice(0, at) + (code[at] === 'Z' ? 'Y' : 'Z') + code.slice(at + 1);
      const response = await redeem(key, wrong);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'card_code_malformed', param: 'code' } });
    }
    expect(cardEntries(serial)).toHaveLength(0);
    // 28 slips have cost no guess: five real ones are still there.
    for (let i = 0; i < 5; i++) expect((await redeem(key, unissuedCode())).status).toBe(404);
    expect((await redeem(key, unissuedCode())).status).toBe(429);
  });

  test.each([
    ['no code', '{}'],
    ['null', '{"code":null}'],
    ['a number', '{"code":12345}'],
    ['a list', '{"code":["PC-0000"]}'],
    ['an object', '{"code":{"toString":"PC-0000"}}'],
  ])('%s is 400 invalid_request that names the field', async (_, body) => {
    const { key } = await gateway.register();
    const response = await gateway.call('/api/redeem', { key, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param: 'code' } });
  });

  test('two codes in one body are refused, so that none is chosen', async () => {
    const { key } = await gateway.register();
    const { code, serial } = await issueCard(gateway);
    const body = `{"code":"${unissuedCode()}","code":"${code}"}`;
    expect((await gateway.call('/api/redeem', { key, body })).status).toBe(400);
    expect(cardEntries(serial)).toHaveLength(0);
  });

  test('a body above 4 KB is 413', async () => {
    const { key } = await gateway.register();
    const response = await redeem(key, 'P'.repeat(4_096));
    expect(response.status).toBe(413);
  });
});
