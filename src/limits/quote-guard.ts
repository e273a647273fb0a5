// Bounds the quotes of an account, which no limit in the store counts: each costs about as much CPU time as the admission of
// a call. Counted in the memory of this process.

import { fault } from '../faults/fault.ts';
import { type Clock, MINUTE_MS } from '../kit/clock.ts';
import { createCounter } from './counter.ts';

export const QUOTES_PER_MINUTE = 600;
export const QUOTES_IN_FLIGHT = 32;
const MAX_ACCOUNTS = 50_000;

export type QuoteGuard = ReturnType<typeof createQuoteGuard>;

export function createQuoteGuard(clock: Clock) {
  const counter = createCounter({ clock, spanMs: MINUTE_MS, maxSubjects: MAX_ACCOUNTS });
  const running = new Map<string, number>();

  function end(accountId: string): void {
    const left = (running.get(accountId) ?? 1) - 1;
    if (left > 0) running.set(accountId, left);
    else running.delete(accountId);
  }

  return {
    /** Throws `too_many_in_flight` or `rate_limited`. The result ends the quote. */
    begin(accountId: string): () => void {
      const used = running.get(accountId) ?? 0;
      if (used >= QUOTES_IN_FLIGHT) {
        throw fault('too_many_in_flight', {
          message: `${used} quotes of this account are running, and ${QUOTES_IN_FLIGHT} is the most at once. Wait for one of them to end.`,
          figures: { limit: QUOTES_IN_FLIGHT, used },
        });
      }
      if (!counter.take(accountId, QUOTES_PER_MINUTE)) {
        const reached = counter.reached(accountId, QUOTES_PER_MINUTE);
        throw fault('rate_limited', {
          message: `This account has asked for ${QUOTES_PER_MINUTE} quotes in the last minute, which is the most. Retry in ${Math.ceil(reached.retryAfterS ?? 1)} s, or make the call without a quote.`,
          ...reached,
        });
      }
      running.set(accountId, used + 1);
      return () => end(accountId);
    },
  };
}
