// What an operator does for a customer: find the account, look, credit, freeze, help with keys.

import type { Nano } from '../kit/money.ts';
import type { DaySpend, OpenHold } from '../store/reads.ts';
import type { Entry, KeyRow, StoredAction, UsageRecord, Wallet } from '../store/rows.ts';
import type { Actor, OperatingTools } from './tools.ts';

export interface FoundAccount {
  accountId: string;
  /** What of it was found. */
  by: 'account' | 'key' | 'last4' | 'card' | 'login' | 'request';
  balance: Nano;
  frozen: boolean;
}

/** Of a key nobody sees its hash. */
export type KeyView = Omit<KeyRow, 'hash' | 'oldHash' | 'oldHashUntil'>;

export interface AccountView {
  accountId: string;
  createdAt: number | undefined;
  wallet: Wallet;
  loginName: string | null;
  holds: readonly OpenHold[];
  /** Newest first, as all below. */
  entries: readonly Entry[];
  keys: readonly KeyView[];
  usage: readonly UsageRecord[];
  spendByDay: readonly DaySpend[];
  /** What operators did to it, with their reasons. */
  actions: readonly StoredAction[];
}

export type CreditKind = 'credit' | 'refund';

/** Exact ids, the last four of a key, a serial, a login name, a request id. At most 50. */
export function searchAccounts(tools: OperatingTools, text: string): Promise<FoundAccount[]> {
  throw new Error('not yet');
}
/** Refused: not_found. */
export function showAccount(tools: OperatingTools, accountId: string): Promise<AccountView> {
  throw new Error('not yet');
}
/** A refund is a credit whose reason says so. `once` makes a repeated form credit once. Refused: not_found, invalid, already_done. */
export function credit(
  tools: OperatingTools,
  accountId: string,
  given: { amount: Nano; reason: string; kind: CreditKind; actor: Actor; once?: string | undefined },
): Promise<{ balance: Nano; reference: string }> {
  throw new Error('not yet');
}
/** Refused: not_found, invalid, already_done. */
export function setFrozen(
  tools: OperatingTools,
  accountId: string,
  given: { frozen: boolean; reason: string; actor: Actor },
): Promise<void> {
  throw new Error('not yet');
}
/** A managing key, shown once. Refused: not_found, too_many_keys. */
export function createKey(
  tools: OperatingTools,
  accountId: string,
  given: { name: string | null; actor: Actor },
): Promise<{ apiKey: string; key: KeyView }> {
  throw new Error('not yet');
}
/** Refused: not_found, already_done. */
export function revokeKey(tools: OperatingTools, keyId: string, actor: Actor): Promise<{ accountId: string }> {
  throw new Error('not yet');
}
/** An amount that a person typed: above 0, up to NT$100,000,000, at most 9 decimals. Refused: invalid. */
export function readAmount(text: string, field?: string): Nano {
  throw new Error('not yet');
}
