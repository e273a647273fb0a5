// Repeated tries may be at most a tenth of recent traffic, so that an outage is not multiplied; a few are always allowed,
// or a quiet service could never retry.

import type { Clock } from '../kit/clock.ts';
import { createRecentEvents } from '../kit/recent-events.ts';

export interface RetryBudget {
  countCall(): void;
  /** Takes one retry, if there is one left. */
  take(): boolean;
}

const WINDOW_MS = 10_000;
const SHARE = 0.1;
const ALWAYS = 10;

export function createRetryBudget(clock: Clock): RetryBudget {
  const calls = createRecentEvents(WINDOW_MS);
  const retries = createRecentEvents(WINDOW_MS);
  return {
    countCall: () => calls.add(clock.monotonic()),
    take() {
      const now = clock.monotonic();
      if (retries.count(now) >= Math.max(ALWAYS, calls.count(now) * SHARE)) return false;
      retries.add(now);
      return true;
    },
  };
}
