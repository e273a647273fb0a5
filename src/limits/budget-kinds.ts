// The kinds of budgets that a key can have: their names, and when they are reset.

import { taipeiDayStart, taipeiMonthStart } from '../kit/taipei.ts';
import type { BudgetKind } from '../store/operations.ts';

interface Kind {
  name: string;
  /** A remedy that needs no change, if there is one. */
  remedy?: string;
  /** When the day or month after this one begins. */
  resetsAt?(span: number): number;
}

export const BUDGET_KINDS: Readonly<Record<BudgetKind, Kind>> = {
  day: { name: 'daily', remedy: 'wait for the next day in Taipei', resetsAt: (day) => taipeiDayStart(day + 1) },
  month: {
    name: 'monthly',
    remedy: 'wait for the next month in Taipei',
    resetsAt: (month) => taipeiMonthStart(month + 1),
  },
  total: { name: 'total' },
  session: { name: 'session', remedy: 'begin another session with another value of x-svc-session' },
};
