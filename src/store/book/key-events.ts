// The events of keys: made, rotated, revoked, and budgets that are used up by 80 or 100 percent.

import { moneyFields, type Nano } from '../../kit/money.ts';
import type { BudgetKind } from '../admission.ts';
import type { AllLimits } from '../key-limits.ts';
import type { Budget, KeyRow } from '../rows.ts';
import type { Book } from './book.ts';

type KeyOf = Pick<KeyRow, 'accountId' | 'keyId' | 'parentId'>;

export function noteKey(book: Book, type: 'key.created' | 'key.revoked', key: KeyOf, at: number): void {
  const { accountId, keyId, parentId } = key;
  book.add('events', { accountId, type, at, data: { key_id: keyId, parent_id: parentId } });
}

export function noteRotation(book: Book, { accountId, keyId, parentId, oldHashUntil }: KeyRow, at: number): void {
  const until = oldHashUntil === null ? null : new Date(oldHashUntil).toISOString();
  const data = { key_id: keyId, parent_id: parentId, old_until: until };
  book.add('events', { accountId, type: 'key.rotated', at, data });
}

/** A charge to a key or to a session of it. */
interface Charge {
  accountId: string;
  keyId: string;
  charged: Nano;
  at: number;
}

/** `before`: its page without the charge. */
export function noteBudgets(book: Book, charge: Charge, limits: AllLimits, before: Budget): void {
  noteBudget(book, charge, 'day', limits.dayBudget, before.spent);
  noteBudget(book, charge, 'month', limits.monthBudget, before.monthSpent);
  noteBudget(book, charge, 'total', limits.totalBudget, before.totalSpent);
}

/** One event for each budget, of the higher share if the charge reaches both. */
export function noteBudget(
  book: Book,
  charge: Charge,
  budget: BudgetKind,
  limit: Nano | undefined,
  before: Nano,
): void {
  if (limit === undefined) return;
  const spent = before + charge.charged;
  const percent = hasReached(limit, before, spent, 100n) ? 100 : hasReached(limit, before, spent, 80n) ? 80 : undefined;
  if (percent === undefined) return;
  const { accountId, keyId, at } = charge;
  const amounts = { ...moneyFields('limit', limit), ...moneyFields('spent', spent) };
  book.add('events', {
    accountId,
    type: 'key.budget_reached',
    at,
    data: { key_id: keyId, budget, percent, ...amounts },
  });
}

function hasReached(limit: Nano, before: Nano, after: Nano, percent: bigint): boolean {
  const share = limit * percent;
  return before * 100n < share && after * 100n >= share;
}
