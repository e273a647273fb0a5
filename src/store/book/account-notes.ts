// Texts of an account: the operator's nickname and note for it, and whom its statements name.

import type { DescribeAccountInput, DescribeAccountResult, SetBillingInput, SetBillingResult } from '../operations.ts';
import { noteAction } from './actions.ts';
import { keyringTouches, refuseActor } from './actors.ts';
import type { Book, Touch } from './book.ts';

/** The wallet shows that there is such an account. */
export function describeAccountTouches({ accountId }: DescribeAccountInput): Touch[] {
  return [
    { table: 'wallets', id: accountId },
    { table: 'accountNotes', id: accountId },
  ];
}

export function describeAccount(book: Book, input: DescribeAccountInput): DescribeAccountResult {
  const { accountId } = input;
  if (!book.get('wallets', accountId)) return { ok: false, reason: 'not_found' };
  const known = book.get('accountNotes', accountId);
  const { nickname = known?.nickname ?? null, note = known?.note ?? null } = input;
  const row = nickname === null && note === null ? undefined : { nickname, note, search: foldName(nickname ?? '') };
  book.put('accountNotes', accountId, row);
  noteAction(book, input);
  return { ok: true };
}

/** Case and width do not matter. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

export function setBillingTouches({ accountId, by }: SetBillingInput): Touch[] {
  return [...keyringTouches(accountId, by), { table: 'billing', id: accountId }];
}

/** Requested by the customer or the operator. */
export function setBilling(book: Book, input: SetBillingInput): SetBillingResult {
  const { accountId, name, taxId, by, at } = input;
  if (!book.get('wallets', accountId)) return { ok: false, reason: 'not_found' };
  const refused = refuseActor(book, accountId, by, at);
  if (refused) return refused;
  book.put('billing', accountId, { name, taxId, touchedAt: at });
  noteAction(book, input);
  return { ok: true };
}
