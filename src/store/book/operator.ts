// What only the operator does to a wallet: credit it, freeze it.

import { assert } from '../../kit/assert.ts';
import type { CreditInput, CreditResult, FreezeInput } from '../operations.ts';
import type { Book } from './book.ts';
import { payIn } from './money.ts';

export function credit(book: Book, { accountId, amount, reference, reason, at }: CreditInput): CreditResult {
  if (!book.get('wallets', accountId)) return { ok: false, reason: 'not_found' };
  const payment = { accountId, from: 'house:credit', kind: 'credit', amount, reference, note: reason, at } as const;
  return { ok: true, balance: payIn(book, payment) };
}

export function freeze(book: Book, { accountId, frozen, at }: FreezeInput): undefined {
  const wallet = book.get('wallets', accountId);
  assert(wallet, 'an account has a wallet');
  book.put('wallets', accountId, { ...wallet, frozen, touchedAt: at });
}
