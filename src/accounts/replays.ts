// Replays of calls with an Idempotency-Key. The text of a created key or secret is derived again, not stored.

import type { Idempotency } from '../kit/idempotency.ts';
import type { Random } from '../kit/random.ts';
import type { ReplayRequest } from '../store/book/replays.ts';
import { SECRET_BYTES } from './keys/key-format.ts';

export interface Replayable<Answer> {
  answer: Answer;
  isReplay: boolean;
}

/** Leaves out the secret, which the store must not see. */
export function replayOf(idempotency: Idempotency | undefined): ReplayRequest | undefined {
  return idempotency && { id: idempotency.id, bodyHash: idempotency.bodyHash, salt: idempotency.salt };
}

/** The text of a new key or secret, which `write` makes of its bytes. */
export function newSecretText(
  write: (bytes: Uint8Array) => string,
  random: Random,
  idempotency: Idempotency | undefined,
): string {
  return write(idempotency ? idempotency.secretFor(idempotency.salt) : random.bytes(SECRET_BYTES));
}

/** The text to show: for a replay, the first call's. */
export function shownText(
  write: (bytes: Uint8Array) => string,
  fresh: string,
  idempotency: Idempotency | undefined,
  replayedSalt: string | undefined,
): string {
  return idempotency && replayedSalt ? write(idempotency.secretFor(replayedSalt)) : fresh;
}

/** Marks an answer or a refusal as a replay. */
export function idempotencyHeaders(isReplay: boolean): Record<string, string> {
  return isReplay ? { 'idempotency-hit': 'true' } : {};
}
