// Rows of entries, refunds and billing details.

import type { Nano } from '../kit/money.ts';
import { money, number, type RowOf, table, text, withId } from './table.ts';

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
export const ENTRIES = table('entries', 'entry_id', {
  at: number('at'),
  kind: text<EntryKind>('kind'),
  debit: text('debit'),
  credit: text('credit'),
  amount: money('amount_nano'),
  /** The wallet that this entry changes, and its balance after it; null between house accounts. */
  accountId: text<string | null>('account_id'),
  balanceAfter: money<Nano | null>('balance_after_nano'),
  /** The id of its cause; unique together with `kind`. */
  reference: text('reference'),
  /** The operator's reason, where a person made the entry. */
  note: text<string | null>('note'),
  /** The request or card that a refund is for. */
  refundOf: text<string | null>('refund_of'),
  /** The part of `amount` that is paid balance; null between house accounts, and on older entries. */
  paid: money<Nano | null>('paid_nano'),
  /** The reference, if it is an idempotency key: unique over all kinds. */
  once: text<string | null>('once'),
});
export interface Entry extends RowOf<typeof ENTRIES> {}

/** As it is in the database, which counts them. */
export const STORED_ENTRIES = withId<Entry, { entryId: number }>(ENTRIES, 'entryId');
export interface StoredEntry extends RowOf<typeof STORED_ENTRIES> {}

/** Refunds of one request or card that cost `charged`. */
export const REFUNDED = table('refunded', 'refund_of', {
  accountId: text('account_id'),
  charged: money('charged_nano'),
  refunded: money('refunded_nano'),
});

/** Whom the statements of an account name. */
export const BILLING = table('billing_details', 'account_id', {
  name: text<string | null>('name'),
  taxId: text<string | null>('tax_id'),
  touchedAt: number('touched_at'),
});
