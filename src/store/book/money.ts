// Money into and out of a wallet: the entry and the balance change together. A part of the balance was paid for. Free credit is
// spent first, so the paid part falls only when the balance falls below it.

import { assert } from '../../kit/assert.ts';
import { MAX_NANO, minNano, type Nano } from '../../kit/money.ts';
import type { EntryKind, HouseAccount, Wallet } from '../rows.ts';
import type { Book } from './book.ts';

interface Payment {
  accountId: string;
  from: HouseAccount;
  kind: EntryKind;
  amount: Nano;
  reference: string;
  note?: string;
  /** The customer paid for it. */
  isPaid?: boolean;
  /** With a refund: the request or card that it is for, and the part of the amount that is paid balance again. */
  refundOf?: string | undefined;
  returned?: Nano;
  at: number;
}

/** The balance after it. */
export function payIn(book: Book, payment: Payment): Nano {
  const { accountId, from, kind, amount, reference, note, isPaid = false, refundOf, returned = 0n, at } = payment;
  const wallet = book.get('wallets', accountId);
  assert(wallet, 'an account has a wallet');
  assert(amount > 0n, 'a payment is positive');
  const balance = wallet.balance + amount;
  // The database cannot hold more, and would refuse the neighbours of this payment with it.
  assert(balance <= MAX_NANO, 'a balance is no more than can be counted');
  assert(returned <= amount && returned <= wallet.paidSpent, 'no more paid balance is returned than was spent');
  const paid = isPaid ? amount : returned;
  book.put('wallets', accountId, {
    ...wallet,
    balance,
    paid: wallet.paid + paid,
    paidSpent: wallet.paidSpent - returned,
    touchedAt: at,
  });
  book.add('entries', {
    at,
    kind,
    debit: from,
    credit: accountId,
    amount,
    accountId,
    balanceAfter: balance,
    reference,
    note: note ?? null,
    refundOf: refundOf ?? null,
    paid,
    once: onceOf(reference),
  });
  return balance;
}

/** Whether the wallet can count so much more. */
export function fitsWallet({ balance }: Wallet, amount: Nano): boolean {
  return balance + amount <= MAX_NANO;
}

/** The wallet after spending to `balance`: free credit is spent first. */
export function spendFreeFirst(
  { paid, paidSpent }: Wallet,
  balance: Nano,
): Pick<Wallet, 'balance' | 'paid' | 'paidSpent'> {
  const left = minNano(paid, balance);
  return { balance, paid: left, paidSpent: paidSpent + paid - left };
}

interface Withdrawal {
  accountId: string;
  to: HouseAccount;
  kind: EntryKind;
  amount: Nano;
  reference: string;
  note: string;
  at: number;
}

/** Takes paid money out of a wallet; the wallet after it. */
export function payOut(book: Book, { accountId, to, kind, amount, reference, note, at }: Withdrawal): Wallet {
  const wallet = book.get('wallets', accountId);
  assert(wallet, 'an account has a wallet');
  assert(amount > 0n, 'a payment is positive');
  const balance = wallet.balance - amount;
  const paid = wallet.paid - amount;
  assert(paid >= 0n && balance >= wallet.held, 'only paid money that is not held is paid out');
  const after = { ...wallet, balance, paid, touchedAt: at };
  book.put('wallets', accountId, after);
  book.add('entries', {
    at,
    kind,
    debit: accountId,
    credit: to,
    amount,
    accountId,
    balanceAfter: balance,
    reference,
    note,
    refundOf: null,
    paid: amount,
    // The fee is a second entry of the same payout.
    once: kind === 'payout_fee' ? null : onceOf(reference),
  });
  return after;
}

/** An idempotency key is unique over credits, top-ups, refunds and payouts: the database refuses a second entry with it. */
const PREFIX = 'once_';

/** The reference of an entry that is made at most once. */
export function onceReference(key: string): string {
  return PREFIX + key;
}

/** Null if the entry has no idempotency key. */
function onceOf(reference: string): string | null {
  return reference.startsWith(PREFIX) ? reference : null;
}
