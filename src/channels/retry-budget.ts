// What second attempts may cost. Retries may be at most a tenth of recent traffic, so that an outage is not multiplied. A few
// are always allowed, so that a quiet service can retry, and up to a hundred if as many calls are running, which one event can
// break at once. Hedges, which start another channel beside a late one, use the same budget, and their cost per account and
// Taipei day is bounded by the loss guard: above it a late channel is abandoned before the next is started.

import type { Clock } from '../kit/clock.ts';
import type { Nano } from '../kit/money.ts';
import { taipeiDay } from '../kit/taipei.ts';
import { createRecentEvents } from './recent-events.ts';

const WINDOW_MS = 10_000;
const SHARE = 0.1;
const ALWAYS = 10;
const MAX_AT_ONCE = 100;

export type RetryBudget = ReturnType<typeof createRetryBudget>;

export function createRetryBudget(clock: Clock) {
  const calls = createRecentEvents(WINDOW_MS);
  const retries = createRecentEvents(WINDOW_MS);
  /** `running`: calls in progress. */
  function isLeft(running: number): boolean {
    const now = clock.monotonic();
    const most = Math.max(ALWAYS, Math.min(running, MAX_AT_ONCE), calls.count(now) * SHARE);
    return retries.count(now) < most;
  }
  return {
    countCall: () => calls.add(clock.monotonic()),
    isLeft,
    /** Takes one if there is one left. */
    take(running: number): boolean {
      if (!isLeft(running)) return false;
      retries.add(clock.monotonic());
      return true;
    },
  };
}

export type HedgeBudget = ReturnType<typeof createHedgeBudget>;

export function createHedgeBudget(clock: Pick<Clock, 'now'>, retryBudget: RetryBudget) {
  let day = 0;
  /** Costs of the current day, by account. */
  const costs = new Map<string, Nano>();

  function costOf(account: string): Nano {
    const today = taipeiDay(clock.now());
    if (today !== day) costs.clear();
    day = today;
    return costs.get(account) ?? 0n;
  }

  return {
    /** Whether a hedge is allowed. `most`: cost limit per account and day; null: none. `running`: calls in progress. */
    isLeft: (account: string, most: Nano | null, running: number) =>
      (most === null || costOf(account) < most) && retryBudget.isLeft(running),
    take: (running: number) => void retryBudget.take(running),
    /** Adds the cost of a hedge. */
    note: (account: string, amount: Nano) => void costs.set(account, costOf(account) + amount),
  };
}
