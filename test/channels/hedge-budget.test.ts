// How often another channel may be asked beside a late one.

import { expect, test } from 'bun:test';
import { createHedgeBudget } from '../../src/channels/hedge-budget.ts';
import { createRetryBudget } from '../../src/channels/retry-budget.ts';
import { DAY_MS } from '../../src/kit/clock.ts';
import { createManualClock } from '../support/manual-clock.ts';

function budget() {
  const clock = createManualClock();
  return { clock, hedges: createHedgeBudget(clock, createRetryBudget(clock)) };
}

test('hedges are retries: ten at once where there is little traffic', () => {
  const { hedges } = budget();
  const taken = Array.from({ length: 12 }, () => hedges.take('a', null, 1));
  expect(taken.filter(Boolean)).toHaveLength(10);
});

test('an account whose hedges have cost the most of a day gets no more until the next day; others do', () => {
  const { clock, hedges } = budget();
  expect(hedges.take('a', 100n, 1)).toBe(true);
  hedges.note('a', 99n);
  expect(hedges.take('a', 100n, 1)).toBe(true);
  hedges.note('a', 1n);
  expect(hedges.take('a', 100n, 1)).toBe(false);
  expect(hedges.take('b', 100n, 1)).toBe(true);
  clock.step(DAY_MS);
  expect(hedges.take('a', 100n, 1)).toBe(true);
});

test('a most of nothing allows none', () => {
  expect(budget().hedges.take('a', 0n, 1)).toBe(false);
});
