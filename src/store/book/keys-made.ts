// How many keys a customer makes on a Taipei day. A deleted key keeps its row, because its usage is still shown, so the number
// of rows is bounded by this alone. Keys below others count apart: delegating keys cannot use up what the account has.

import type { CreateKeyInput, KeysMadeRefusal } from '../operations.ts';
import type { Book, Touch } from './book.ts';
import { dayAllowance, EMPTY_WINDOW, takeDay } from './windows.ts';

export const MAX_KEYS_A_DAY = 5_000;

export function keysMadeTouches(input: CreateKeyInput): Touch[] {
  return [{ table: 'windows', id: keysMadeWindow(input) }];
}

function keysMadeWindow({ key: { accountId, parentId } }: CreateKeyInput): string {
  return `${parentId === null ? 'keys-made' : 'child-keys-made'}:${accountId}`;
}

/** Undefined when it is counted. What the operator makes does not count. */
export function countKeyMade(book: Book, input: CreateKeyInput): KeysMadeRefusal | undefined {
  if (!input.by) return undefined;
  const id = keysMadeWindow(input);
  const window = book.get('windows', id) ?? EMPTY_WINDOW;
  const allowance = dayAllowance(window, input.at, MAX_KEYS_A_DAY);
  if (allowance.remaining < 1) return { ok: false, reason: 'too_many_keys_today', allowance };
  book.put('windows', id, takeDay(window, input.at));
  return undefined;
}
