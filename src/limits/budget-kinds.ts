// The kinds of budgets that a key can have: what they are called, when they begin anew, and what raises them.

import type { FaultAction } from '../faults/table.ts';
import { formatNtd, type Nano, ntdNumber } from '../kit/money.ts';
import { taipeiDay, taipeiDayStart, taipeiMonth, taipeiMonthStart } from '../kit/taipei.ts';
import type { BudgetKind, BudgetState } from '../store/operations.ts';

interface Kind {
  name: string;
  /** What helps without a change, if anything does. */
  remedy?: string;
  /** When the next span begins; undefined if it does not end by time. */
  resetsAt?(now: number): number;
}

export const BUDGET_KINDS: Readonly<Record<BudgetKind, Kind>> = {
  day: { name: 'daily', remedy: 'wait for the next day in Taipei', resetsAt: nextDay },
  month: { name: 'monthly', remedy: 'wait for the next month in Taipei', resetsAt: nextMonth },
  total: { name: 'total' },
  session: { name: 'session', remedy: 'begin another session' },
};

function nextDay(now: number): number {
  return taipeiDayStart(taipeiDay(now) + 1);
}

function nextMonth(now: number): number {
  return taipeiMonthStart(taipeiMonth(now) + 1);
}

/** The call that sets a budget to this amount. */
export function raiseBudget({ budget, keyId }: BudgetState, amount: Nano): FaultAction {
  return {
    method: 'PATCH',
    path: `/api/keys/${keyId}`,
    body: { budgets: { [`${budget}_ntd`]: ntdNumber(amount) } },
    why: `raise the ${BUDGET_KINDS[budget].name} budget to NT$${formatNtd(amount)}; needs a managing key`,
  };
}
