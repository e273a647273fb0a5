// How often another channel may be asked beside a late one. Hedges take from the retry budget, and what those of one account
// cost on one Taipei day is bounded by the guard on its losses: beyond it a late channel is left before the next is asked.

import type { Clock } from '../kit/clock.ts';
import type { Nano } from '../kit/money.ts';
import { taipeiDay } from '../kit/taipei.ts';
import type { RetryBudget } from './retry-budget.ts';

export interface HedgeBudget {
  /** Whether there is a hedge left. `most`: of cost for the account and day; null: any. `underWay`: calls that run now. */
  isLeft(account: string, most: Nano | null, underWay: number): boolean;
  take(underWay: number): void;
  /** What one has cost. */
  note(account: string, amount: Nano): void;
}

export function createHedgeBudget(clock: Pick<Clock, 'now'>, retryBudget: RetryBudget): HedgeBudget {
  let day = 0;
  /** Of that day, by account. */
  const costs = new Map<string, Nano>();

  function costOf(account: string): Nano {
    const today = taipeiDay(clock.now());
    if (today !== day) costs.clear();
    day = today;
    return costs.get(account) ?? 0n;
  }

  return {
    isLeft: (account, most, underWay) => (most === null || costOf(account) < most) && retryBudget.isLeft(underWay),
    take: (underWay) => void retryBudget.take(underWay),
    note: (account, amount) => void costs.set(account, costOf(account) + amount),
  };
}
