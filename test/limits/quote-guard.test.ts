// How many quotes an account gets in a minute, and at once.

import { expect, test } from 'bun:test';
import { Fault } from '../../src/faults/fault.ts';
import { createQuoteGuard, QUOTES_IN_FLIGHT, QUOTES_PER_MINUTE } from '../../src/limits/guards.ts';
import { createManualClock } from '../support/manual-clock.ts';

function refusalOf(begin: () => unknown): Fault {
  try {
    begin();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

test('a minute has so many, and the refusal says when there is another', async () => {
  const clock = createManualClock();
  const guard = createQuoteGuard(clock);
  for (let n = 0; n < QUOTES_PER_MINUTE; n++) guard.begin('acc_a')();
  await clock.advance(20_000);
  const { code, details, waitS } = refusalOf(() => guard.begin('acc_a'));
  expect([code, waitS]).toEqual(['rate_limited', 40]);
  expect(details.message).toBe(
    'This account has asked for 600 quotes in the last minute, which is the most. Retry in 40 s, or make the call without a quote.',
  );
  expect(details.figures).toEqual({
    ...{ limit: QUOTES_PER_MINUTE, used: QUOTES_PER_MINUTE },
    resets_at: new Date(clock.now() + 40_000).toISOString(),
  });
  guard.begin('acc_b')();
  await clock.advance(40_000);
  guard.begin('acc_a')();
});

test('so many run at once, and one that has ended makes room', () => {
  const guard = createQuoteGuard(createManualClock());
  const ends = Array.from({ length: QUOTES_IN_FLIGHT }, () => guard.begin('acc_a'));
  const { code, details } = refusalOf(() => guard.begin('acc_a'));
  expect([code, details.figures]).toEqual(['too_many_in_flight', { limit: QUOTES_IN_FLIGHT, used: QUOTES_IN_FLIGHT }]);
  guard.begin('acc_b')();
  ends[0]?.();
  guard.begin('acc_a');
  expect(refusalOf(() => guard.begin('acc_a')).code).toBe('too_many_in_flight');
});
