// Spending and holds of keys, each with the keys below it, and the rest of their budgets.

import { z } from 'zod';
import type { Clock } from '../../kit/clock.ts';
import { moneyFields, type Nano } from '../../kit/money.ts';
import { amount, time } from '../../kit/shapes.ts';
import { taipeiDayStart, taipeiMonthStart } from '../../kit/taipei.ts';
import { budgetOn, leftOf } from '../../store/book/budgets.ts';
import type { KeyRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { maybeAmounts, maybeMoney } from './limit-fields.ts';

/** The budgets that are counted for the key itself; those of sessions are counted for each session. */
export const COUNTED_BUDGETS = ['day', 'month', 'total'] as const;
export type CountedBudget = (typeof COUNTED_BUDGETS)[number];

type Spender = Pick<KeyRow, 'keyId' | 'dailyBudget' | 'limits'>;

export type KeySpending = ReturnType<Awaited<ReturnType<typeof readSpending>>>;

/** The result answers for the keys that were asked for. */
export async function readSpending({ store, clock }: { store: Store; clock: Clock }, keys: readonly Spender[]) {
  const pages = await store.read.budgetsOf(keys.map(({ keyId }) => keyId));
  const known = new Map(pages.map((page) => [page.keyId, page]));
  const now = clock.now();
  return ({ keyId, dailyBudget, limits }: Spender) => {
    const { day, spent, month, monthSpent, totalSpent, held } = budgetOn(known.get(keyId), now);
    const state = (limit: Nano | null, used: Nano) => ({
      limit,
      spent: used,
      /** Null without such a budget. */
      left: limit === null ? null : leftOf({ limit, spent: used, held }),
    });
    return {
      /** The most that running requests can still cost; it counts in each budget. */
      held,
      day: { ...state(dailyBudget, spent), resetsAt: taipeiDayStart(day + 1) },
      month: { ...state(limits.monthBudget ?? null, monthSpent), resetsAt: taipeiMonthStart(month + 1) },
      total: { ...state(limits.totalBudget ?? null, totalSpent), resetsAt: null },
    };
  };
}

/** The budget of these keys with the least left. */
export function tightestOf(spendings: readonly KeySpending[]) {
  return spendings
    .flatMap((spending) => COUNTED_BUDGETS.map((budget) => ({ budget, ...spending[budget] })))
    .flatMap(({ budget, left, resetsAt }) => (left === null ? [] : [{ budget, left, resetsAt }]))
    .toSorted((one, other) => (one.left < other.left ? -1 : Number(one.left > other.left)))[0];
}

export const spendingMembers = {
  spent: z
    .object({
      ...amount('day', 'spent today, with every key below'),
      ...amount('month', 'spent this month'),
      ...amount('total', 'spent since it was made'),
    })
    .describe('By the key and every key below it, deleted ones too.'),
  ...amount('held', 'what their running requests may still cost'),
  left: z
    .object(maybeAmounts(COUNTED_BUDGETS.map((name) => [name, 'the budget less spent and held; null: no such budget'])))
    .describe('Of the budgets of this key. Budgets of its ancestors can leave less.'),
  resets_at: z
    .object({ day: time, month: time })
    .describe('When the spending of the day and of the month starts again.'),
};

export function publicSpending({ held, day, month, total }: KeySpending) {
  return {
    spent: {
      ...moneyFields('day', day.spent),
      ...moneyFields('month', month.spent),
      ...moneyFields('total', total.spent),
    },
    ...moneyFields('held', held),
    left: { ...maybeMoney('day', day.left), ...maybeMoney('month', month.left), ...maybeMoney('total', total.left) },
    resets_at: { day: new Date(day.resetsAt).toISOString(), month: new Date(month.resetsAt).toISOString() },
  };
}
