// Replays of calls with an Idempotency-Key. The text of a created key is derived again, not stored.

import type { Idempotency } from '../kit/idempotency.ts';
import type { Random } from '../kit/random.ts';
import type { ReplayRequest } from '../store/book/replays.ts';
import { createKeyText, keyFromSecret } from './keys/key-format.ts';

export interface Replayable<Answer> {
  answer: Answer;
  isReplay: boolean;
}

/** Leaves out the secret, which the store must not see. */
export function replayOf(idempotency: Idempotency | undefined): ReplayRequest | undefined {
  return idempotency && { id: idempotency.id, bodyHash: idempotency.bodyHash, salt: idempotency.salt };
}

export function newKeyText(random: Random, idempotency: Idempotency | undefined): string {
  return idempotency ? keyFromSecret(idempotency.secretFor(idempotency.salt)) : createKeyText(random);
}

/** The key to show: for a replay, the first call's. */
export function keyTextOf(
  fresh: string,
  idempotency: Idempotency | undefined,
  replayedSalt: string | undefined,
): string {
  return idempotency && replayedSalt ? keyFromSecret(idempotency.secretFor(replayedSalt)) : fresh;
}

/** Marks an answer or a refusal as a replay. */
export function idempotencyHeaders(isReplay: boolean): Record<string, string> {
  return isReplay ? { 'idempotency-hit': 'true' } : {};
}
