// The budgets of keys: spent + held + new hold never exceed one. Charges to a key count for itself and for all its
// ancestors. It is kept for every key that pays, also for one without a budget: given one later, all of the day, the month
// and the past count, and what its running calls hold. Days and months are Taipei's and never run backwards, as those of
// limits; what is held over midnight still counts as held, and is spent on the day it is settled. A session has one page for
// each key of the chain with a session budget.

import { maxNano, moneyFields, type Nano } from '../../kit/money.ts';
import type { BudgetKind, BudgetState, RequestRef } from '../admission.ts';
import { type AllLimits, limitsOfKey } from '../key-limits.ts';
import type { Budget, Hold, KeyRow, SessionBudget } from '../rows.ts';
import type { Book, Touch } from './book.ts';
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
const UNUSED_SESSION: SessionBudget = { spent: 0n, held: 0n, touchedAt: 0 };

/** A key of the chain with its page at the time of the admission. */
export interface Level {
  keyId: string;
  page: Budget;
}

export function budgetTouches({ keyId, chain }: Pick<RequestRef, 'keyId' | 'chain'>): Touch[] {
  const own: Touch = { table: 'budgets', id: keyId };
  if (!chain) return [own];
  return [
    own,
    ...chain.ancestors.map((id): Touch => ({ table: 'budgets', id })),
    ...chain.sessions.map((id): Touch => ({ table: 'sessionBudgets', id })),
  ];
}

/** The page of a session for one key of the chain. */
export function sessionPage(keyId: string, session: string): string {
  return `${keyId}:${session}`;
}

/** The key itself first. */
export function levelsOf(book: Book, { keyId, chain }: Pick<RequestRef, 'keyId' | 'chain'>, at: number): Level[] {
  const own = levelOf(book, keyId, at);
  return chain ? [own, ...chain.ancestors.map((id) => levelOf(book, id, at))] : [own];
}

function levelOf(book: Book, keyId: string, at: number): Level {
  return { keyId, page: budgetAt(book, keyId, at) };
}

function budgetAt(book: Book, keyId: string, at: number): Budget {
  return budgetOn(book.get('budgets', keyId), at);
}

/** The state at that time: a new day or month begins with nothing spent. */
export function budgetOn(known: Budget = UNUSED, at: number): Budget {
  const day = dayThatCounts(known.day, at);
  if (day === known.day) return known;
  const month = monthThatCounts(known.month, at);
  return { ...known, day, spent: 0n, month, monthSpent: month === known.month ? known.monthSpent : 0n };
}

/** Every budget of the chain, the key's own first. */
export function budgetsOf(book: Book, levels: readonly Level[], sessions: readonly string[] = []): BudgetState[] {
  const states: BudgetState[] = [];
  for (const { keyId, page } of levels) {
    if (!page.limits) continue;
    const { held, day, month } = page;
    const { dayBudget, monthBudget, totalBudget, sessionBudget } = page.limits;
    if (dayBudget !== undefined)
      states.push({ budget: 'day', keyId, limit: dayBudget, spent: page.spent, held, span: day });
    if (monthBudget !== undefined)
      states.push({ budget: 'month', keyId, limit: monthBudget, spent: page.monthSpent, held, span: month });
    if (totalBudget !== undefined)
      states.push({ budget: 'total', keyId, limit: totalBudget, spent: page.totalSpent, held });
    const session = sessions.find((id) => id.startsWith(sessionPage(keyId, '')));
    if (sessionBudget === undefined || session === undefined) continue;
    const known = book.get('sessionBudgets', session) ?? UNUSED_SESSION;
    states.push({ budget: 'session', keyId, limit: sessionBudget, spent: known.spent, held: known.held });
  }
  return states;
}

/** The unspent amount; running calls may hold some of it. */
export function unspentOf({ limit, spent }: BudgetState): Nano {
  return limit - spent;
}

/** The amount that is neither spent nor held. */
export function leftOf({ limit, spent, held }: Pick<BudgetState, 'limit' | 'spent' | 'held'>): Nano {
  return maxNano(0n, limit - spent - held);
}

/** Whether it is used up by 80 % or more, with a further hold of that amount. */
export function isNearLimit({ limit, spent, held }: BudgetState, amount: Nano = 0n): boolean {
  return (spent + held + amount) * 5n >= limit * 4n;
}

/** Writes the limits of the key where its admissions decide by them. */
export function putLimits(book: Book, key: KeyRow): void {
  const limits = limitsOfKey(key);
  const known = book.get('budgets', key.keyId);
  if (known || limits) book.put('budgets', key.keyId, { ...(known ?? UNUSED), limits });
}

export function holdBudgets(
  book: Book,
  levels: readonly Level[],
  sessions: readonly string[],
  amount: Nano,
  at: number,
): void {
  for (const { keyId, page } of levels) {
    const { day, spent, held, month, monthSpent, totalSpent, inFlight, limits } = page;
    const next = { day, spent, held: held + amount, month, monthSpent, totalSpent, inFlight: inFlight + 1, limits };
    book.put('budgets', keyId, next);
  }
  for (const id of sessions) {
    const known = book.get('sessionBudgets', id) ?? UNUSED_SESSION;
    book.put('sessionBudgets', id, { ...known, held: known.held + amount, touchedAt: at });
  }
}

export function closeBudgets(book: Book, hold: Hold, charged: Nano, at: number): void {
  // A free one, or one that an older version opened for a key without a budget: it was not added, but what it costs counts.
  if (!hold.budgeted && charged === 0n) return;
  closeLevel(book, hold.keyId, hold, charged, at);
  if (!hold.chain) return;
  for (const keyId of hold.chain.ancestors) closeLevel(book, keyId, hold, charged, at);
  for (const id of hold.chain.sessions) closeSession(book, id, hold, charged, at);
}

function closeSession(book: Book, id: string, { accountId, amount }: Hold, charged: Nano, at: number): void {
  const { spent, held, touchedAt } = book.get('sessionBudgets', id) ?? UNUSED_SESSION;
  const next = { spent: spent + charged, held: held - amount, touchedAt: Math.max(at, touchedAt) };
  book.put('sessionBudgets', id, next);
  if (charged === 0n) return;
  const keyId = id.slice(0, id.indexOf(':'));
  const limit = book.get('budgets', keyId)?.limits?.sessionBudget;
  noteBudget(book, { accountId, keyId, charged, at }, 'session', limit, spent);
}

function closeLevel(book: Book, keyId: string, hold: Hold, charged: Nano, at: number): void {
  const { budgeted, amount, accountId } = hold;
  const page = budgetAt(book, keyId, at);
  const { day, spent, held, month, monthSpent, totalSpent, inFlight, limits } = page;
  book.put('budgets', keyId, {
    day,
    spent: spent + charged,
    held: budgeted ? held - amount : held,
    month,
    monthSpent: monthSpent + charged,
    totalSpent: totalSpent + charged,
    inFlight: budgeted ? inFlight - 1 : inFlight,
    limits,
  });
  if (limits && charged > 0n) noteBudgets(book, { accountId, keyId, charged, at }, limits, page);
}

/** A charge to a key or to a session of it. */
interface Charge {
  accountId: string;
  keyId: string;
  charged: Nano;
  at: number;
}

/** `before`: its page without the charge. */
function noteBudgets(book: Book, charge: Charge, limits: AllLimits, before: Budget): void {
  noteBudget(book, charge, 'day', limits.dayBudget, before.spent);
  noteBudget(book, charge, 'month', limits.monthBudget, before.monthSpent);
  noteBudget(book, charge, 'total', limits.totalBudget, before.totalSpent);
}

/** One event for each budget, of the higher share if the charge reaches both. */
function noteBudget(book: Book, charge: Charge, budget: BudgetKind, limit: Nano | undefined, before: Nano): void {
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
