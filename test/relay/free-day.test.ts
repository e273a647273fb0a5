// Free calls per day in Taipei: 300 with a balance, 100 without.

import { afterEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { passTime } from '../support/pass-time.ts';
import { spendAll } from '../support/spend-all.ts';
import { upModel } from '../support/test-document.ts';

const HOUR_MS = 3_600_000;
const NO_WAIT = { headers: { 'x-svc-no-wait': '1' } };
let clock: ManualClock;
let gateway: TestGateway;
let account: TestAccount;
afterEach(() => gateway.stop());

/** 15:00 in Taipei; nine hours to midnight. */
async function start(limits: Record<string, number> = { free_per_minute: 100_000 }): Promise<void> {
  clock = createManualClock(Date.UTC(2026, 5, 10, 7, 0, 0));
  gateway = await startTestGateway({
    clock,
    limits,
    document: (doc) => ({
      ...doc,
      guards: { free_in_flight: null },
      models: [...doc.models, upModel('up-even', { price: { input: 1_000, output: 1_000 } })],
    }),
  });
  account = await gateway.register();
}
const ask = () => gateway.chat(account.key, { model: 'auto:free' }, NO_WAIT);
async function served(tries: number): Promise<number> {
  const responses = await Promise.all(Array.from({ length: tries }, ask));
  return responses.filter(({ status }) => status === 200).length;
}

describe('with a balance', () => {
  test('300 are served, the next must retry after midnight', async () => {
    await start();
    expect(await served(299)).toBe(299);
    const last = await ask();
    expect(last.headers.get('x-ratelimit-limit-requests')).toBe('300');
    expect(last.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(last.headers.get('x-ratelimit-reset-requests')).toBe(`${9 * 3_600}s`);

    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(refused.headers.has('retry-after')).toBe(false);
    const { error }: Answer = await refused.json();
    expect(error).toMatchObject({
      code: 'free_daily_limit',
      type: 'rate_limit_error',
      limit: 300,
      used: 300,
      resets_at: '2026-06-10T16:00:00.000Z',
    });
  });

  test('exact under a race, and new at midnight in Taipei', async () => {
    await start();
    expect(await served(330)).toBe(300);
    await passTime(gateway, clock, 9 * HOUR_MS - 1);
    expect((await ask()).status).toBe(429);
    await clock.advance(1);
    expect((await ask()).status).toBe(200);
    expect((await gateway.get('/api/me', account.key)).free.day).toMatchObject({ used: 1, remaining: 299 });
  });

  test('a clock that steps back over midnight begins no day again', async () => {
    await start({ free_per_minute: 100_000, free_per_day_positive: 5 });
    await passTime(gateway, clock, 9 * HOUR_MS);
    expect(await served(5)).toBe(5);
    clock.step(-1_000);
    expect((await ask()).status).toBe(429);
    clock.step(-24 * HOUR_MS);
    expect((await ask()).status).toBe(429);
  });
});

describe('without a balance', () => {
  test('100 are served', async () => {
    await start();
    await spendAll(gateway, account.key, 'up-even');
    expect(await served(120)).toBe(100);
    expect(await (await ask()).json()).toMatchObject({ error: { code: 'free_daily_limit', limit: 100, used: 100 } });
  });

  test('the calls made while there was one count', async () => {
    await start();
    expect(await served(150)).toBe(150);
    await spendAll(gateway, account.key, 'up-even');
    expect(await (await ask()).json()).toMatchObject({ error: { code: 'free_daily_limit', limit: 100, used: 150 } });
  });
});

test.each(['free_per_day_positive', 'free_per_day_zero'])('where %s is 0, no time is given', async (limit) => {
  await start({ [limit]: 0 });
  if (limit === 'free_per_day_zero') await spendAll(gateway, account.key, 'up-even');
  const refused = await ask();
  expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([429, 'false']);
  expect(refused.headers.has('retry-after')).toBe(false);
  const { error }: Answer = await refused.json();
  const message = 'This account has no free requests at present. Use a paid model.';
  expect(error).toMatchObject({ code: 'free_daily_limit', limit: 0, used: 0, message });
  expect(error).not.toHaveProperty('resets_at');
});

test('headers report the window with fewer requests remaining', async () => {
  await start({ free_per_minute: 6, free_per_day_positive: 8 });
  const told: (string | null)[][] = [];
  for (let i = 0; i < 8; i++) {
    if (i === 4) await passTime(gateway, clock, 61_000);
    const { headers } = await ask();
    told.push(['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}-requests`)));
  }
  expect(told).toEqual([
    ['6', '5'],
    ['6', '4'],
    ['6', '3'],
    ['6', '2'],
    ['8', '3'],
    ['8', '2'],
    ['8', '1'],
    ['8', '0'],
  ]);
});
