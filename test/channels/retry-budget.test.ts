// How many tries may be repeated within ten seconds.

import { expect, test } from 'bun:test';
import { createRetryBudget } from '../../src/channels/retry-budget.ts';
import { createManualClock } from '../support/manual-clock.ts';

test.each([
  { calls: 0, underWay: 1, most: 10 },
  { calls: 0, underWay: 20, most: 20 },
  { calls: 0, underWay: 5_000, most: 100 },
  { calls: 3_000, underWay: 20, most: 300 },
])('$calls calls of late and $underWay under way: $most', async ({ calls, underWay, most }) => {
  const clock = createManualClock();
  const budget = createRetryBudget(clock);
  for (let n = 0; n < calls; n++) budget.countCall();
  for (let n = 0; n < most; n++) expect(budget.take(underWay)).toBe(true);
  expect(budget.take(underWay)).toBe(false);
  await clock.advance(10_000);
  expect(budget.take(underWay)).toBe(true);
});
