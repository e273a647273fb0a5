// Idempotency keys: the secret of a replayed response is derived, not stored. Without the pepper and the caller's key,
// the database does not reveal it.

import { createHash, createHmac } from 'node:crypto';
import type { Random } from './random.ts';
import { deriveSecret } from './sealed.ts';

export interface Idempotency {
  /** Identifies this key within its scope. */
  id: string;
  bodyHash: string;
  salt: string;
  /** 32 bytes derived from this caller's key, the scope and the salt. */
  secretFor(salt: string): Uint8Array;
}

const SALT_BYTES = 16;

export type BeginIdempotency = (scope: string, key: string, body: string) => Idempotency;

export function createIdempotency(pepper: string, random: Random): BeginIdempotency {
  const secret = deriveSecret(pepper, 'idempotency');
  return (scope, key, body) => ({
    id: createHmac('sha256', secret).update(`id\n${scope}\n${key}`).digest('hex'),
    bodyHash: createHash('sha256').update(body).digest('hex'),
    salt: Buffer.from(random.bytes(SALT_BYTES)).toString('hex'),
    secretFor: (salt) => createHmac('sha256', secret).update(`secret\n${salt}\n${scope}\n${key}`).digest(),
  });
}
