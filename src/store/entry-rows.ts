// Rows of entries, refunds and billing details.

import type { Nano } from '../kit/money.ts';

export type EntryKind =
  | 'trial'
  | 'card'
  | 'topup'
  | 'credit'
  | 'usage'
  | 'refund'
  | 'payout'
  | 'payout_fee'
  | 'write_off';

/** One immutable ledger line: `amount` moves from `debit` to `credit`, so every line sums to zero by its form. */
export interface Entry {
  at: number;
  kind: EntryKind;
  debit: string;
  credit: string;
  amount: Nano;
  /** The wallet that this entry changes, and its balance after it; null between house accounts. */
  accountId: string | null;
  balanceAfter: Nano | null;
  /** The id of its cause; unique together with `kind`. */
  reference: string;
  /** The operator's reason, where a person made the entry. */
  note: string | null;
  /** The request or card that a refund is for. */
  refundOf: string | null;
  /** The part of `amount` that is paid balance; null between house accounts, and on older entries. */
  paid: Nano | null;
  /** The reference, if it is an idempotency key: unique over all kinds. */
  once: string | null;
}

/** As it is in the database, which counts them. */
export interface StoredEntry extends Entry {
  entryId: number;
}

/** Refunds of one request or card that cost `charged`. */
export interface Refunded {
  accountId: string;
  charged: Nano;
  refunded: Nano;
}

/** Whom the statements of an account name. */
export interface BillingDetails {
  name: string | null;
  taxId: string | null;
  touchedAt: number;
}
