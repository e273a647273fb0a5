// Limits hedges, which start another channel beside a late one. They use the retry budget, and their cost per account
// and Taipei day is bounded by the loss guard: above it a late channel is abandoned before the next is started.

import type { Clock } from '../kit/clock.ts';
import type { Nano } from '../kit/money.ts';
import { taipeiDay } from '../kit/taipei.ts';
import type { RetryBudget } from './retry-budget.ts';

export interface HedgeBudget {
  /** Whether a hedge is allowed. `most`: cost limit per account and day; null: none. `running`: calls in progress. */
  isLeft(account: string, most: Nano | null, running: number): boolean;
  take(running: number): void;
  /** Adds the cost of a hedge. */
  note(account: string, amount: Nano): void;
}

export function createHedgeBudget(clock: Pick<Clock, 'now'>, retryBudget: RetryBudget): HedgeBudget {
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
    isLeft: (account, most, running) => (most === null || costOf(account) < most) && retryBudget.isLeft(running),
    take: (running) => void retryBudget.take(running),
    note: (account, amount) => void costs.set(account, costOf(account) + amount),
  };
}
