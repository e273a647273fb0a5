// Retries may be at most a tenth of recent traffic, so that an outage is not multiplied. A few are always allowed, so
// that a quiet service can retry, and up to a hundred if as many calls are running, which one event can break at once.

import type { Clock } from '../kit/clock.ts';
import { createRecentEvents } from './recent-events.ts';

export interface RetryBudget {
  countCall(): void;
  /** `running`: calls in progress. */
  isLeft(running: number): boolean;
  /** Takes one if there is one left. */
  take(running: number): boolean;
}

const WINDOW_MS = 10_000;
const SHARE = 0.1;
const ALWAYS = 10;
const MAX_AT_ONCE = 100;

export function createRetryBudget(clock: Clock): RetryBudget {
  const calls = createRecentEvents(WINDOW_MS);
  const retries = createRecentEvents(WINDOW_MS);
  function isLeft(running: number): boolean {
    const now = clock.monotonic();
    const most = Math.max(ALWAYS, Math.min(running, MAX_AT_ONCE), calls.count(now) * SHARE);
    return retries.count(now) < most;
  }
  return {
    countCall: () => calls.add(clock.monotonic()),
    isLeft,
    take(running) {
      if (!isLeft(running)) return false;
      retries.add(clock.monotonic());
      return true;
    },
  };
}
