// How often another channel may be asked beside a late one.

import { expect, test } from 'bun:test';
import { createHedgeBudget, createRetryBudget } from '../../src/channels/retry-budget.ts';
import { DAY_MS } from '../../src/kit/clock.ts';
import { createManualClock } from '../support/manual-clock.ts';

function budget() {
  const clock = createManualClock();
  return { clock, hedges: createHedgeBudget(clock, createRetryBudget(clock)) };
}

test('hedges are retries: ten at once where there is little traffic', () => {
  const { hedges } = budget();
  const left = Array.from({ length: 12 }, () => {
    const isLeft = hedges.isLeft('a', null, 1);
    hedges.take(1);
    return isLeft;
  });
  expect(left.filter(Boolean)).toHaveLength(10);
});

test('an account whose hedges have cost the most of a day gets no more until the next day; others do', () => {
  const { clock, hedges } = budget();
  expect(hedges.isLeft('a', 100n, 1)).toBe(true);
  hedges.note('a', 99n);
  expect(hedges.isLeft('a', 100n, 1)).toBe(true);
  hedges.note('a', 1n);
  expect(hedges.isLeft('a', 100n, 1)).toBe(false);
  expect(hedges.isLeft('b', 100n, 1)).toBe(true);
  clock.step(DAY_MS);
  expect(hedges.isLeft('a', 100n, 1)).toBe(true);
});

test('a most of nothing allows none', () => {
  expect(budget().hedges.isLeft('a', 0n, 1)).toBe(false);
});
