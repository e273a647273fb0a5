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

export type NewSecret = ReturnType<typeof newSecret>;

/** The text of a new key or secret, which `write` makes of its bytes. */
export function newSecret(write: (bytes: Uint8Array) => string, random: Random, idempotency: Idempotency | undefined) {
  const text = write(idempotency ? idempotency.secretFor(idempotency.salt) : random.bytes(SECRET_BYTES));
  return {
    text,
    /** The answer that shows it: in a replay, the text of the first call. */
    answer<Answer>(replayedSalt: string | undefined, of: (shown: string) => Answer): Replayable<Answer> {
      const shown = idempotency && replayedSalt ? write(idempotency.secretFor(replayedSalt)) : text;
      return { answer: of(shown), isReplay: replayedSalt !== undefined };
    },
  };
}

/** Marks an answer or a refusal as a replay. */
export function idempotencyHeaders(isReplay: boolean): Record<string, string> {
  return isReplay ? { 'idempotency-hit': 'true' } : {};
}
