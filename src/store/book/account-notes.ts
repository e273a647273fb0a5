// Texts of an account: the operator's nickname and note for it, and whom its statements name.

import { type ActorInput, type ActorRefusal, keyringTouches, type Logged, noteAction, refuseActor } from './actors.ts';
import type { Book, Operations } from './book.ts';

/** An undefined field stays as it is; null removes it. */
interface DescribeAccountInput extends Logged {
  accountId: string;
  nickname?: string | null | undefined;
  note?: string | null | undefined;
}

/** Sets the billing details; by the account or, without `by`, by the operator. */
interface SetBillingInput extends Logged, ActorInput {
  accountId: string;
  name: string | null;
  taxId: string | null;
  at: number;
}

export const ACCOUNT_NOTES = {
  describeAccount: {
    // The wallet shows that there is such an account.
    touches: ({ accountId }: DescribeAccountInput) => [
      { table: 'wallets', id: accountId },
      { table: 'accountNotes', id: accountId },
    ],
    decide: describeAccount,
  },
  setBilling: {
    touches: ({ accountId, by }: SetBillingInput) => [
      ...keyringTouches(accountId, by),
      { table: 'billing', id: accountId },
    ],
    decide: setBilling,
  },
} satisfies Operations;

function describeAccount(book: Book, input: DescribeAccountInput): { ok: true } | { ok: false; reason: 'not_found' } {
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

/** Requested by the customer or the operator. */
function setBilling(
  book: Book,
  input: SetBillingInput,
): { ok: true } | { ok: false; reason: ActorRefusal | 'not_found' } {
  const { accountId, name, taxId, by, at } = input;
  if (!book.get('wallets', accountId)) return { ok: false, reason: 'not_found' };
  const refused = refuseActor(book, accountId, by, at);
  if (refused) return refused;
  book.put('billing', accountId, { name, taxId, touchedAt: at });
  noteAction(book, input);
  return { ok: true };
}
