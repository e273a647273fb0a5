// Idempotency inside the operation itself: the first call writes its result in the same transaction, and a repeated call
// finds it. Operations are decided one after the other, so a concurrent call with the same key sees the result of the first.

import { DAY_MS } from '../../kit/clock.ts';
import type { Book, Touch } from './book.ts';

export interface ReplayRequest {
  /** Keyed hash of scope and Idempotency-Key. */
  id: string;
  bodyHash: string;
  /** Fresh for this call; a replay answers with the first call's instead. */
  salt: string;
}

type ReplayCheck = { found: 'nothing' } | { found: 'same'; result: string; salt: string } | { found: 'other_body' };

/** How long a repeated call gets the answer of the first. */
export const REPLAYED_MS = DAY_MS;

export function replayTouches(request: ReplayRequest | undefined): Touch[] {
  return request ? [{ table: 'replays', id: request.id }] : [];
}

export function checkReplay(book: Book, request: ReplayRequest | undefined, at: number): ReplayCheck {
  const known = request && book.get('replays', request.id);
  if (!request || !known || known.expiresAt <= at) return { found: 'nothing' };
  if (known.bodyHash !== request.bodyHash) return { found: 'other_body' };
  return { found: 'same', result: known.result, salt: known.salt };
}

export function rememberReplay(book: Book, request: ReplayRequest | undefined, result: unknown, at: number): void {
  if (!request) return;
  const { id, bodyHash, salt } = request;
  book.put('replays', id, { bodyHash, salt, result: JSON.stringify(result), expiresAt: at + REPLAYED_MS });
}
