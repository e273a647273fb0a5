// What was read is shared for its time, and a failure is not kept.

import { expect, test } from 'bun:test';
import { keepFor } from '../../src/kit/keep-for.ts';

test('is read once for all callers until its time is over', async () => {
  let now = 5;
  let reads = 0;
  const kept = keepFor({ monotonic: () => now }, 100, async () => ++reads);
  expect(await Promise.all([kept(), kept(), kept()])).toEqual([1, 1, 1]);
  now = 104;
  expect(await kept()).toBe(1);
  now = 105;
  expect(await Promise.all([kept(), kept()])).toEqual([2, 2]);
});

test('after a failure the next caller reads again', async () => {
  let reads = 0;
  const kept = keepFor({ monotonic: () => 0 }, 100, async () => {
    if (++reads === 1) throw new Error('away');
    return reads;
  });
  expect(await Promise.allSettled([kept(), kept()])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  expect(await kept()).toBe(2);
  expect(await kept()).toBe(2);
});
