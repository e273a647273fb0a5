// The rows of keys, of what they spent and hold, and the chain of keys that a call counts for.

import type { Nano } from '../kit/money.ts';
import type { AllLimits, KeyLimits } from './key-limits.ts';

export interface KeyRow {
  keyId: string;
  accountId: string;
  hash: string;
  last4: string;
  name: string | null;
  manage: boolean;
  models: readonly string[] | null;
  dailyBudget: Nano | null;
  expiresAt: number | null;
  createdAt: number;
  revokedAt: number | null;
  /** The hash before the last rotation, while its grace lasts. */
  oldHash: string | null;
  oldHashUntil: number | null;
  /** The key that made it; null for a key of the account itself. Neither it nor the depth ever changes. */
  parentId: string | null;
  /** How many ancestors it has. */
  depth: number;
  /** Whether it may make keys below itself. */
  delegate: boolean;
  limits: KeyLimits;
}

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
export interface Budget {
  day: number;
  spent: Nano;
  held: Nano;
  month: number;
  monthSpent: Nano;
  totalSpent: Nano;
  /** Running calls: paid ones, and free ones if a key of their chain has rates. */
  inFlight: number;
  /** The limits of the key's row, written with it: an admission decides by these. Null without any. */
  limits: AllLimits | null;
}

/** One session's spending from a key's session budget, and its current holds. */
export interface SessionBudget {
  spent: Nano;
  held: Nano;
  /** Sessions that were not used for long are forgotten. */
  touchedAt: number;
}

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

export interface KeyBudget extends Budget {
  keyId: string;
}
