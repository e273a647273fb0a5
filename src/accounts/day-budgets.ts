// For keys with a daily budget: what is spent today, what is left, and when it resets.

import type { Clock } from '../kit/clock.ts';
import { maxNano, type Nano } from '../kit/money.ts';
import { taipeiDayStart } from '../kit/taipei.ts';
import { budgetOn } from '../store/book/budgets.ts';
import type { KeyRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export interface DayBudget {
  limit: Nano;
  spent: Nano;
  /** What running requests may still cost. */
  held: Nano;
  left: Nano;
  resetsAt: number;
}

/** By key id; keys without a budget are left out. */
export async function readDayBudgets(
  { store, clock }: { store: Store; clock: Clock },
  keys: readonly KeyRow[],
): Promise<Map<string, DayBudget>> {
  const limits = new Map(
    keys.flatMap(({ keyId, dailyBudget }) => (dailyBudget === null ? [] : [[keyId, dailyBudget]])),
  );
  if (limits.size === 0) return new Map();
  const known = new Map((await store.read.budgetsOf([...limits.keys()])).map((budget) => [budget.keyId, budget]));
  const now = clock.now();
  return new Map(
    [...limits].map(([keyId, limit]) => {
      const { day, spent, held } = budgetOn(known.get(keyId), now);
      const left = maxNano(0n, limit - spent - held);
      return [keyId, { limit, spent, held, left, resetsAt: taipeiDayStart(day + 1) }];
    }),
  );
}
