// A key's daily budget: spent + held + new hold never exceed it. Both are kept for every key that pays, also for one without
// a budget: given one later, all of its day counts, and what its running calls hold. Days are Taipei's and never run
// backwards, as those of limits; what is held over midnight still counts as held, and is spent on the day it is settled.

import type { Nano } from '../../kit/money.ts';
import type { Budget, Hold } from '../rows.ts';
import type { Book } from './book.ts';
import { dayThatCounts } from './windows.ts';

const UNUSED: Budget = { day: 0, spent: 0n, held: 0n };

export function budgetAt(book: Book, keyId: string, at: number): Budget {
  return budgetOn(book.get('budgets', keyId), at);
}

/** As it stands at that time: a new day begins with nothing spent. */
export function budgetOn(known: Budget = UNUSED, at: number): Budget {
  const day = dayThatCounts(known.day, at);
  return day === known.day ? known : { ...known, day, spent: 0n };
}

export function holdBudget(book: Book, keyId: string, amount: Nano, at: number): void {
  const { day, spent, held } = budgetAt(book, keyId, at);
  book.put('budgets', keyId, { day, spent, held: held + amount });
}

export function closeBudget(book: Book, hold: Hold, charged: Nano, at: number): void {
  // A free one, or one that an older version opened for a key without a budget: it was not added, but what it costs counts.
  if (!hold.budgeted && charged === 0n) return;
  const { day, spent, held } = budgetAt(book, hold.keyId, at);
  book.put('budgets', hold.keyId, {
    day,
    spent: spent + charged,
    held: hold.budgeted ? held - hold.amount : held,
  });
}
