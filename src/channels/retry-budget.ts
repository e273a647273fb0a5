// Repeated tries may be at most a tenth of recent traffic, so that an outage is not multiplied; a few are always allowed,
// or a quiet service could never retry, and up to a hundred if as many calls are under way, which one event can break all
// at once.

import type { Clock } from '../kit/clock.ts';
import { createRecentEvents } from '../kit/recent-events.ts';

export interface RetryBudget {
  countCall(): void;
  /** Takes one retry, if there is one left; `underWay`: calls that run now. */
  take(underWay: number): boolean;
}

const WINDOW_MS = 10_000;
const SHARE = 0.1;
const ALWAYS = 10;
const MOST_AT_ONCE = 100;

export function createRetryBudget(clock: Clock): RetryBudget {
  const calls = createRecentEvents(WINDOW_MS);
  const retries = createRecentEvents(WINDOW_MS);
  return {
    countCall: () => calls.add(clock.monotonic()),
    take(underWay) {
      const now = clock.monotonic();
      const most = Math.max(ALWAYS, Math.min(underWay, MOST_AT_ONCE), calls.count(now) * SHARE);
      if (retries.count(now) >= most) return false;
      retries.add(now);
      return true;
    },
  };
}
