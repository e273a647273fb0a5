// The operator's nickname and note for an account.

import type { DescribeAccountInput, DescribeAccountResult } from '../operations.ts';
import { noteAction } from './actions.ts';
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
