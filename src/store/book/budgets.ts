// The budgets of keys: spent + held + new hold never exceed one. What a key pays counts for itself and for all its ancestors.
// It is kept for every key that pays, also for one without a budget: given one later, all of the day, the month and the past
// count, and what its running calls hold. Days and months are Taipei's and never run backwards, as those of limits; what is
// held over midnight still counts as held, and is spent on the day it is settled.

import type { Nano } from '../../kit/money.ts';
import { type AllLimits, limitsOfKey } from '../key-limits.ts';
import type { Budget, Hold, KeyRow } from '../rows.ts';
import type { Book } from './book.ts';
import { dayThatCounts, monthThatCounts } from './windows.ts';

const UNUSED: Budget = {
  day: 0,
  spent: 0n,
  held: 0n,
  month: 0,
  monthSpent: 0n,
  totalSpent: 0n,
  inFlight: 0,
  limits: null,
};

export function budgetAt(book: Book, keyId: string, at: number): Budget {
  return budgetOn(book.get('budgets', keyId), at);
}

/** As it stands at that time: a new day and a new month begin with nothing spent. */
export function budgetOn(known: Budget = UNUSED, at: number): Budget {
  const day = dayThatCounts(known.day, at);
  if (day === known.day) return known;
  const month = monthThatCounts(known.month, at);
  return { ...known, day, spent: 0n, month, monthSpent: month === known.month ? known.monthSpent : 0n };
}

/** Writes the limits of the key where its admissions decide by them. */
export function putLimits(book: Book, key: KeyRow): void {
  const limits: AllLimits | null = limitsOfKey(key);
  const known = book.get('budgets', key.keyId);
  if (known || limits) book.put('budgets', key.keyId, { ...(known ?? UNUSED), limits });
}

export function holdBudget(book: Book, keyId: string, amount: Nano, at: number): void {
  const budget = budgetAt(book, keyId, at);
  book.put('budgets', keyId, { ...budget, held: budget.held + amount, inFlight: budget.inFlight + 1 });
}

export function closeBudget(book: Book, hold: Hold, charged: Nano, at: number): void {
  // A free one, or one that an older version opened for a key without a budget: it was not added, but what it costs counts.
  if (!hold.budgeted && charged === 0n) return;
  for (const keyId of [hold.keyId, ...(hold.chain?.ancestors ?? [])]) {
    const budget = budgetAt(book, keyId, at);
    book.put('budgets', keyId, {
      ...budget,
      spent: budget.spent + charged,
      monthSpent: budget.monthSpent + charged,
      totalSpent: budget.totalSpent + charged,
      held: hold.budgeted ? budget.held - hold.amount : budget.held,
      inFlight: hold.budgeted ? budget.inFlight - 1 : budget.inFlight,
    });
  }
}
