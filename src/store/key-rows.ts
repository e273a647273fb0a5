// The rows of keys, of what they spent and hold, and the chain of keys that a call counts for.

import type { Nano } from '../kit/money.ts';
import type { AllLimits, KeyLimits } from './key-limits.ts';
import { flag, ID, json, limits, money, number, type RowOf, table, text, withId } from './table.ts';

export const KEYS = table('keys', 'key_id', {
  keyId: ID,
  accountId: text('account_id'),
  hash: text('hash'),
  last4: text('last4'),
  name: text<string | null>('name'),
  manage: flag('manage'),
  models: json<readonly string[] | null>('models'),
  dailyBudget: money<Nano | null>('daily_budget_nano'),
  expiresAt: number<number | null>('expires_at'),
  createdAt: number('created_at'),
  revokedAt: number<number | null>('revoked_at'),
  /** The hash before the last rotation, while its grace lasts. */
  oldHash: text<string | null>('old_hash'),
  oldHashUntil: number<number | null>('old_hash_until'),
  /** The key that made it; null for a key of the account itself. Neither it nor the depth ever changes. */
  parentId: text<string | null>('parent_id'),
  /** How many ancestors it has. */
  depth: number('depth'),
  /** Whether it may make keys below itself. */
  delegate: flag('delegate'),
  limits: limits<KeyLimits>('limits'),
});
export interface KeyRow extends RowOf<typeof KEYS> {}

/** The fields of a key that its owner sees. */
export type KeyDetails = Pick<
  KeyRow,
  | 'keyId'
  | 'last4'
  | 'name'
  | 'manage'
  | 'models'
  | 'dailyBudget'
  | 'expiresAt'
  | 'createdAt'
  | 'parentId'
  | 'depth'
  | 'delegate'
  | 'limits'
>;

/**
 * The spending of a key and the keys below it on one Taipei day, in one Taipei month and in all, and their current holds.
 * Kept from its first paid hold or its first limit on.
 */
export const BUDGETS = table('budgets', 'key_id', {
  day: number('day'),
  spent: money('spent_nano'),
  held: money('held_nano'),
  month: number('month'),
  monthSpent: money('month_spent_nano'),
  totalSpent: money('total_spent_nano'),
  /** Running calls: paid ones, and free ones if a key of their chain has rates. */
  inFlight: number('in_flight'),
  /** The limits of the key's row, written with it: an admission decides by these. Null without any. */
  limits: limits<AllLimits | null>('limits'),
});
export interface Budget extends RowOf<typeof BUDGETS> {}
/** With the keys they belong to. */
export const KEY_BUDGETS = withId<Budget, { keyId: string }>(BUDGETS, 'keyId');

/** One session's spending from a key's session budget, and its current holds. */
export const SESSION_BUDGETS = table('session_budgets', 'session_id', {
  spent: money('spent_nano'),
  held: money('held_nano'),
  /** Sessions that were not used for long are forgotten. */
  touchedAt: number('touched_at'),
});
export interface SessionBudget extends RowOf<typeof SESSION_BUDGETS> {}

/** The counters of an admission beyond the wallet and the budget of its own key. */
export interface KeyChain {
  /** The ancestors of the key, the parent first. */
  ancestors: readonly string[];
  /** The pages of the session, one for each key of the chain with a session budget. */
  sessions: readonly string[];
  /** The keys of the chain with rates. */
  rated: readonly string[];
}

/** As a hold keeps it, with the tokens that its key's windows count for it. */
export interface HeldChain extends KeyChain {
  tokens: number;
}
