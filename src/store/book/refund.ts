// Refunds, which move revenue back into a wallet, and payouts, which move money out of the books. The caller passes the cost
// of the request or card, which never changes. Earlier refunds are looked up here, under the lock of the wallet. Spent free
// credit is never refunded as paid balance.

import { assert } from '../../kit/assert.ts';
import { minNano, moneyFields, type Nano } from '../../kit/money.ts';
import { type Logged, noteAction } from './actors.ts';
import type { Book, Operations } from './book.ts';
import { fitsWallet, payIn, payOut } from './money.ts';
import { auditFreezeName } from './operator.ts';

/** The subject of a refund. Its cost never changes. */
export type RefundOf =
  /** `paid`: the part of the charge that was paid balance; null if it was not recorded. */
  | { kind: 'request'; id: string; charged: Nano; paid: Nano | null }
  | { kind: 'card'; id: string; charged: Nano; isSold: boolean };

/** Refunds spent money to the part of the balance that it came from. */
export interface RefundInput extends Logged {
  accountId: string;
  of?: RefundOf | undefined;
  /** Undefined: all that is left of what it is for. */
  amount?: Nano | undefined;
  /** Unique: the same reference never refunds twice. */
  reference: string;
  reason: string;
  at: number;
}

export type RefundResult =
  | { ok: true; amount: Nano; balance: Nano }
  | { ok: false; reason: 'not_found' }
  | { ok: false; reason: 'wallet_full' }
  /** More than what is left of the request or card; `refunded`: what was refunded before. */
  | { ok: false; reason: 'above_charge'; refunded: Nano }
  /** More than the paid balance from a sold card that was `spent` and not refunded. */
  | { ok: false; reason: 'above_spent'; refunded: Nano; spent: Nano };

/** Pays out a part of the paid balance that is not held, outside of the books. */
export interface PayoutInput extends Logged {
  accountId: string;
  /** The amount that the customer gets. */
  amount: Nano;
  /** A fee that the service keeps, taken from the balance in addition to the amount. */
  fee: Nano;
  /** Unique: the same reference never pays twice. */
  reference: string;
  reason: string;
  at: number;
}

export type PayoutResult =
  | { ok: true; balance: Nano; paid: Nano }
  | { ok: false; reason: 'not_found' }
  /** The balance of the wallet does not match its entries. */
  | { ok: false; reason: 'frozen_by_audit' }
  | { ok: false; reason: 'above_paid'; balance: Nano; held: Nano; paid: Nano };

export const REFUNDS = {
  refund: {
    touches: ({ accountId, of }: RefundInput) => [
      { table: 'wallets', id: accountId },
      ...(of ? [{ table: 'refunded', id: of.id } as const] : []),
    ],
    decide: refund,
  },
  payout: {
    touches: ({ accountId }: PayoutInput) => [
      { table: 'wallets', id: accountId },
      { table: 'settings', id: auditFreezeName(accountId) },
    ],
    decide: payout,
  },
} satisfies Operations;

function refund(book: Book, input: RefundInput): RefundResult {
  const { accountId, of, reference, reason, at } = input;
  const wallet = book.get('wallets', accountId);
  if (!wallet) return { ok: false, reason: 'not_found' };
  const { paidSpent: spent } = wallet;
  const refunded = of ? (book.get('refunded', of.id)?.refunded ?? 0n) : 0n;
  const left = of && of.charged - refunded;
  const amount = input.amount ?? left;
  assert(amount !== undefined, 'a refund has an amount, or is for something that cost one');
  if (left !== undefined && (amount > left || left === 0n)) return { ok: false, reason: 'above_charge', refunded };
  if (of?.kind === 'card' && of.isSold && amount > spent) return { ok: false, reason: 'above_spent', refunded, spent };
  if (!fitsWallet(wallet, amount)) return { ok: false, reason: 'wallet_full' };
  const balance = payIn(book, {
    accountId,
    from: 'house:revenue',
    kind: 'refund',
    amount,
    reference,
    note: reason,
    refundOf: of?.id,
    returned: minNano(minNano(amount, spent), paidPartOf(of, refunded) ?? amount),
    at,
  });
  if (of) book.put('refunded', of.id, { accountId, charged: of.charged, refunded: refunded + amount });
  const data = {
    request_id: of?.kind === 'request' ? of.id : null,
    ...moneyFields('amount', amount),
    ...moneyFields('balance', balance),
  };
  book.add('events', { accountId, type: 'refund.created', at, data });
  noteAction(book, input);
  return { ok: true, amount, balance };
}

/** At most so much comes back as paid balance; undefined if that is unknown. Of a request, its paid part comes back first. */
function paidPartOf(of: RefundOf | undefined, refunded: Nano): Nano | undefined {
  if (of?.kind === 'card') return of.isSold ? undefined : 0n;
  if (of === undefined || of.paid === null) return undefined;
  return of.paid > refunded ? of.paid - refunded : 0n;
}

function payout(book: Book, input: PayoutInput): PayoutResult {
  const { accountId, amount, fee, reference, reason, at } = input;
  assert(amount > 0n && fee >= 0n, 'a payout is positive, and its fee not negative');
  const wallet = book.get('wallets', accountId);
  if (!wallet) return { ok: false, reason: 'not_found' };
  const isWrong = wallet.frozen && book.get('settings', auditFreezeName(accountId)) !== undefined;
  if (isWrong) return { ok: false, reason: 'frozen_by_audit' };
  const { balance, held, paid } = wallet;
  const taken = amount + fee;
  if (taken > paid || taken > balance - held) return { ok: false, reason: 'above_paid', balance, held, paid };
  const common = { accountId, reference, note: reason, at };
  let after = payOut(book, { ...common, to: 'house:payouts', kind: 'payout', amount });
  if (fee > 0n) after = payOut(book, { ...common, to: 'house:fees', kind: 'payout_fee', amount: fee });
  noteAction(book, input);
  return { ok: true, balance: after.balance, paid: after.paid };
}
