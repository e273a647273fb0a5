// Repeated tries may be at most a tenth of recent traffic, so that an outage is not multiplied; a few are always allowed,
// or a quiet service could never retry.

import type { Clock } from '../kit/clock.ts';

export interface RetryBudget {
  countCall(): void;
  /** Takes one retry, if there is one left. */
  take(): boolean;
}

const WINDOW_MS = 10_000;
const SHARE = 0.1;
const ALWAYS = 10;

export function createRetryBudget(clock: Clock): RetryBudget {
  let calls: number[] = [];
  let retries: number[] = [];
  const recent = (times: number[]) => {
    const since = clock.monotonic() - WINDOW_MS;
    const first = times.findIndex((time) => time > since);
    return first < 0 ? [] : first === 0 ? times : times.slice(first);
  };
  return {
    countCall() {
      calls = recent(calls);
      calls.push(clock.monotonic());
    },
    take() {
      retries = recent(retries);
      calls = recent(calls);
      if (retries.length >= Math.max(ALWAYS, calls.length * SHARE)) return false;
      retries.push(clock.monotonic());
      return true;
    },
  };
}
