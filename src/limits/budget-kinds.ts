// The kinds of budgets that a key can have: what they are called, and when they begin anew.

import { taipeiDay, taipeiDayStart, taipeiMonth, taipeiMonthStart } from '../kit/taipei.ts';
import type { BudgetKind } from '../store/operations.ts';

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
  session: { name: 'session', remedy: 'begin another session with another value of x-svc-session' },
};

function nextDay(now: number): number {
  return taipeiDayStart(taipeiDay(now) + 1);
}

function nextMonth(now: number): number {
  return taipeiMonthStart(taipeiMonth(now) + 1);
}
