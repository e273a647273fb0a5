import { expect, test } from 'bun:test';
import { MAX_ATTEMPTS, retryWaitMs } from '../../../src/accounts/webhooks/deliver-events.ts';
import { DAY_MS, HOUR_MS } from '../../../src/kit/clock.ts';
import { systemRandom } from '../../../src/kit/random.ts';

const at = (fraction: number) => ({ ...systemRandom, fraction: () => fraction });
const waits = (fraction: number) =>
  Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) => retryWaitMs(index + 1, at(fraction)) ?? Number.NaN);

test('waits grow from seconds to hours, over about a day', () => {
  const all = waits(0);
  expect(all[0]).toBe(5_000);
  expect(all).toEqual(all.toSorted((a, b) => a - b));
  const total = all.reduce((sum, wait) => sum + wait, 0);
  expect(total).toBeGreaterThan(20 * HOUR_MS);
  expect(total).toBeLessThan(DAY_MS);
});

test('jitter adds at most a tenth', () => {
  expect(waits(0.999).map((wait, index) => wait <= (waits(0)[index] ?? 0) * 1.1)).toEqual(waits(0).map(() => true));
  expect(retryWaitMs(1, at(0.5))).toBe(5_250);
});

test('after the last attempt there is no wait', () => {
  expect(retryWaitMs(MAX_ATTEMPTS, at(0))).toBeUndefined();
});
