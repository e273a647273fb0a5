// Whom the statements of an account name, as the customer or the operator says.

import type { SetBillingInput, SetBillingResult } from '../operations.ts';
import { noteAction } from './actions.ts';
import { keyringTouches, refuseActor } from './actors.ts';
import type { Book, Touch } from './book.ts';

export function setBillingTouches({ accountId, by }: SetBillingInput): Touch[] {
  return [...keyringTouches(accountId, by), { table: 'billing', id: accountId }];
}

export function setBilling(book: Book, input: SetBillingInput): SetBillingResult {
  const { accountId, name, taxId, by, at } = input;
  if (!book.get('wallets', accountId)) return { ok: false, reason: 'not_found' };
  const refused = refuseActor(book, accountId, by, at);
  if (refused) return refused;
  book.put('billing', accountId, { name, taxId, touchedAt: at });
  noteAction(book, input);
  return { ok: true };
}
