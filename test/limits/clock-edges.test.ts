// Limits while the clock is wrong, and over restarts: no window opens early, none opens twice, each opens to the
// millisecond. Every limit that is counted over a time, through the API; but for the wrong cards of a day, which cannot be
// used up at once (http/redeem-limits.test.ts).

import { afterEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { unissuedCode } from '../support/issue-cards.ts';
import { IS_LONG_RUN, RUN_SEED } from '../support/long-run.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { passTime } from '../support/pass-time.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 15:00 in Taipei; nine hours to midnight. */
const NOW = Date.UTC(2026, 5, 10, 7, 0, 0);
const MIDNIGHT = NOW + 9 * HOUR_MS;

interface Limit {
  name: string;
  limits: Record<string, number>;
  guards?: Record<string, number | null>;
  /** Further accounts, for what one of them alone cannot use up. */
  accounts?: number;
  most: number;
  /** What one use answers within the limit. */
  ok: number;
  use(): Promise<Response>;
}
interface Rolling extends Limit {
  spanMs: number;
}

let clock: ManualClock;
let gateway: TestGateway;
let account: TestAccount;
let others: TestAccount[];
/** Those before a restart: the first of them has the folder of all. */
const ended: TestGateway[] = [];
afterEach(async () => {
  for (const one of [gateway, ...ended.splice(0)]) await one.stop();
});

const chat = (model: string) =>
  gateway.chat(account.key, { model, max_tokens: 1 }, { headers: { 'x-svc-no-wait': '1' } });
const register = () => gateway.call('/api/agent/register', { body: {} });
const guess = ({ key } = account) => gateway.call('/api/redeem', { key, body: { code: unissuedCode() } });
/** Each time another account. */
const guessInTurn = () => {
  const next = others.shift() ?? account;
  others.push(next);
  return guess(next);
};

const ROLLING: Rolling[] = [
  {
    name: 'free calls of a minute',
    limits: { free_per_minute: 3 },
    most: 3,
    ok: 200,
    spanMs: MINUTE_MS,
    use: () => chat('auto:free'),
  },
  {
    name: 'paid calls of a minute',
    limits: { paid_per_minute: 3 },
    most: 3,
    ok: 200,
    spanMs: MINUTE_MS,
    use: () => chat('demo-small'),
  },
  {
    name: 'wrong cards of ten minutes',
    limits: {},
    most: 5,
    ok: 404,
    spanMs: 10 * MINUTE_MS,
    use: () => guess(),
  },
  {
    name: 'wrong cards of an address',
    limits: { register_per_ip: 100 },
    accounts: 25,
    most: 20,
    ok: 404,
    spanMs: HOUR_MS,
    use: guessInTurn,
  },
  // One was used up by the account that every test has.
  {
    name: 'registrations of an address',
    limits: { register_per_ip: 4 },
    most: 3,
    ok: 201,
    spanMs: DAY_MS,
    use: register,
  },
  {
    name: 'registrations of an hour',
    limits: { register_per_ip: 100 },
    guards: { register_per_hour: 4 },
    most: 3,
    ok: 201,
    spanMs: HOUR_MS,
    use: register,
  },
];
const DAILY: Limit[] = [
  {
    name: 'free calls of a day',
    limits: { free_per_day_positive: 3, free_per_minute: 100 },
    most: 3,
    ok: 200,
    use: () => chat('auto:free'),
  },
  {
    name: 'free calls of an address',
    limits: { free_per_minute: 100 },
    guards: { free_per_address_day: 3, free_in_flight: null },
    most: 3,
    ok: 200,
    use: () => chat('auto:free'),
  },
  { name: 'registrations of the site', limits: { register_per_day: 4 }, most: 3, ok: 201, use: register },
];

let options: TestGatewayOptions;
async function start({ limits, guards, accounts = 0 }: Limit, at = NOW): Promise<void> {
  clock = createManualClock(at);
  options = { clock, limits, document: (doc) => ({ ...doc, guards: { ...doc.guards, ...guards } }) };
  gateway = await startTestGateway(options);
  account = await gateway.register();
  others = await Promise.all(Array.from({ length: accounts }, () => gateway.register()));
}
async function restart(): Promise<void> {
  const { dataDir } = gateway;
  await gateway.gateway.drain(0);
  ended.push(gateway);
  gateway = await startTestGateway({ ...options, dataDir });
}
/** How many more are admitted now. */
async function left({ use, ok, most }: Limit): Promise<number> {
  for (let count = 0; ; count++) {
    const { status } = await use();
    if (status === 429) return count;
    expect(status).toBe(ok);
    if (count > most) return count;
  }
}

const numbered = <One extends Limit>(limits: readonly One[]) => limits.map((limit, index) => ({ ...limit, index }));

/** One of them for each limit, another one in the next run; all by `npm run test:long`. */
function shareOf(times: readonly number[], index: number): number[] {
  return times.filter((_, place) => IS_LONG_RUN || (place + index + RUN_SEED) % times.length === 0);
}

describe.each(numbered(ROLLING))('$name', ({ index, ...limit }) => {
  test('open one by one, each to the millisecond, also over a restart', async () => {
    await start(limit);
    // A window of seconds counts to the end of the second.
    const first = clock.now();
    expect((await limit.use()).status).toBe(limit.ok);
    await passTime(gateway, clock, 10 * SECOND_MS);
    expect(await left(limit)).toBe(limit.most - 1);
    await passTime(gateway, clock, first + limit.spanMs - clock.now() - 1);
    expect(await left(limit)).toBe(0);
    await restart();
    expect(await left(limit)).toBe(0);
    await clock.advance(1);
    const opened = limit.name.startsWith('registrations') ? 2 : 1;
    expect(await left(limit)).toBe(opened);
  });

  test.each(shareOf([SECOND_MS, HOUR_MS, DAY_MS], index))(
    'stay used up when the clock steps back by %d ms',
    async (ms) => {
      await start(limit);
      expect(await left(limit)).toBe(limit.most);
      clock.step(-ms);
      expect(await left(limit)).toBe(0);
      await restart();
      expect(await left(limit)).toBe(0);
      // A node that was started in the past has a lease of the past, until it is renewed.
      await passTime(gateway, clock, ms - 1);
      expect(await left(limit)).toBe(0);
    },
  );

  test.each(shareOf([HOUR_MS, 2 * DAY_MS], index))(
    'stay used up when the clock leaps ahead by %d ms, is used there, and comes back',
    async (ms) => {
      await start(limit);
      expect(await left(limit)).toBe(limit.most);
      await passTime(gateway, clock, ms);
      await limit.use();
      clock.step(-ms);
      expect(await left(limit)).toBe(0);
      await restart();
      expect(await left(limit)).toBe(0);
    },
  );

  test('are open as ever when the clock was weeks ahead, was used there, and comes back', async () => {
    await start(limit);
    await passTime(gateway, clock, 60 * DAY_MS);
    expect(await left(limit)).toBeGreaterThan(0);
    clock.step(-60 * DAY_MS);
    await restart();
    // The test's own account was registered here.
    expect(await left(limit)).toBe(limit.most);
    expect(await left(limit)).toBe(0);
  });
});

describe.each(numbered(DAILY))('$name', ({ index, ...limit }) => {
  test('are new at midnight in Taipei, to the millisecond, also over a restart', async () => {
    await start(limit, MIDNIGHT - 10 * SECOND_MS);
    expect(await left(limit)).toBe(limit.most);
    await passTime(gateway, clock, 10 * SECOND_MS - 1);
    expect(await left(limit)).toBe(0);
    await restart();
    expect(await left(limit)).toBe(0);
    await clock.advance(1);
    // The test's own account was registered on the day before.
    const more = limit.name.startsWith('registrations') ? 1 : 0;
    expect(await left(limit)).toBe(limit.most + more);
    await restart();
    expect(await left(limit)).toBe(0);
  });

  test.each(shareOf([SECOND_MS, HOUR_MS, DAY_MS], index))(
    'begin no day again when the clock steps back by %d ms',
    async (ms) => {
      await start(limit, MIDNIGHT + 10);
      expect(await left(limit)).toBe(limit.most);
      clock.step(-ms);
      expect(await left(limit)).toBe(0);
      await restart();
      expect(await left(limit)).toBe(0);
      const refused: Answer = await (await limit.use()).json();
      expect(refused.error.resets_at).toBe(new Date(MIDNIGHT + DAY_MS).toISOString());
    },
  );

  test('of a day that a leap of the clock began are those of that day, when it comes', async () => {
    await start(limit);
    expect(await left(limit)).toBe(limit.most);
    await passTime(gateway, clock, DAY_MS);
    expect((await limit.use()).status).toBe(limit.ok);
    clock.step(-DAY_MS);
    const rest = await left(limit);
    await passTime(gateway, clock, DAY_MS);
    expect(await left(limit)).toBe(0);
    expect(rest).toBeLessThanOrEqual(limit.most);
  });

  test('are those of today when the clock was weeks ahead, was used there, and comes back', async () => {
    await start(limit);
    await passTime(gateway, clock, 60 * DAY_MS);
    expect(await left(limit)).toBeGreaterThan(0);
    clock.step(-60 * DAY_MS);
    await restart();
    expect(await left(limit)).toBeGreaterThanOrEqual(limit.most);
    const refused: Answer = await (await limit.use()).json();
    expect(refused.error.resets_at).toBe(new Date(MIDNIGHT).toISOString());
  });
});
