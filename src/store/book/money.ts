// Money into a wallet: the entry and the balance change together.

import { assert } from '../../kit/assert.ts';
import { MAX_NANO, type Nano } from '../../kit/money.ts';
import type { EntryKind, HouseAccount } from '../rows.ts';
import type { Book } from './book.ts';

export interface Payment {
  accountId: string;
  from: HouseAccount;
  kind: EntryKind;
  amount: Nano;
  reference: string;
  note?: string;
  at: number;
}

/** The balance after it. */
export function payIn(book: Book, { accountId, from, kind, amount, reference, note, at }: Payment): Nano {
  const wallet = book.get('wallets', accountId);
  assert(wallet, 'an account has a wallet');
  assert(amount > 0n, 'a payment is positive');
  const balance = wallet.balance + amount;
  // The database cannot hold more, and would refuse the neighbours of this payment with it.
  assert(balance <= MAX_NANO, 'a balance is no more than can be counted');
  book.put('wallets', accountId, { ...wallet, balance, touchedAt: at });
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
  });
  return balance;
}
