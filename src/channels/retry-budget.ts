// Repeated tries may be at most a tenth of recent traffic, so that an outage is not multiplied; a few are always allowed,
// or a quiet service could never retry, and up to a hundred if as many calls are under way, which one event can break all
// at once.

import type { Clock } from '../kit/clock.ts';
import { createRecentEvents } from './recent-events.ts';

export interface RetryBudget {
  countCall(): void;
  /** Whether there is a retry left; `underWay`: calls that run now. */
  isLeft(underWay: number): boolean;
  /** Takes one, if there is. */
  take(underWay: number): boolean;
}

const WINDOW_MS = 10_000;
const SHARE = 0.1;
const ALWAYS = 10;
const MOST_AT_ONCE = 100;

export function createRetryBudget(clock: Clock): RetryBudget {
  const calls = createRecentEvents(WINDOW_MS);
  const retries = createRecentEvents(WINDOW_MS);
  function isLeft(underWay: number): boolean {
    const now = clock.monotonic();
    const most = Math.max(ALWAYS, Math.min(underWay, MOST_AT_ONCE), calls.count(now) * SHARE);
    return retries.count(now) < most;
  }
  return {
    countCall: () => calls.add(clock.monotonic()),
    isLeft,
    take(underWay) {
      if (!isLeft(underWay)) return false;
      retries.add(clock.monotonic());
      return true;
    },
  };
}
