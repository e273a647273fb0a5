// From the text of a key to the key's row. Well-formed keys are looked up by their HMAC; rows are kept in memory only
// while the store has confirmed, within the last second, that no key has changed: so a revoked key stops in time.

import type { Clock } from '../kit/clock.ts';
import { createHasher } from '../kit/sealed.ts';
import { isLiveKey } from '../store/key-rules.ts';
import type { Reads } from '../store/reads.ts';
import type { KeyRow } from '../store/rows.ts';
import { hasKeyShape, isWellFormedKey } from './key-format.ts';

const CACHE_SIZE = 20_000;
const TRUSTED_FOR_MS = 1_000;

export interface KeyStore {
  read: Pick<Reads, 'keyByHash'>;
}

export interface Authenticator {
  /** Undefined alike for malformed, unknown, revoked and expired keys. A key it knows needs no wait. */
  authenticate(key: string | undefined): KeyRow | undefined | Promise<KeyRow | undefined>;
  hash(key: string): string;
  /** Called with every pulse of the store. */
  confirm(keysVersion: number): void;
  /** Called when this node itself has changed a key: here it holds at once. */
  forget(): void;
}

export function createAuthenticator(store: KeyStore, clock: Clock, pepper: string): Authenticator {
  const hashKey = createHasher(pepper, 'key');
  const cache = new Map<string, KeyRow>();
  let version: number | undefined;
  let changes = 0;
  let confirmedAt = Number.NEGATIVE_INFINITY;

  function remembered(hash: string): KeyRow | undefined {
    return clock.monotonic() - confirmedAt < TRUSTED_FOR_MS ? cache.get(hash) : undefined;
  }

  async function find(hash: string): Promise<KeyRow | undefined> {
    const changesBefore = changes;
    const row = await store.read.keyByHash(hash);
    // A change told meanwhile may be one that this row does not have yet.
    if (row && changes === changesBefore) {
      if (cache.size >= CACHE_SIZE) cache.clear();
      cache.set(hash, row);
    }
    return row;
  }

  function check(row: KeyRow | undefined, hash: string): KeyRow | undefined {
    if (row && isValidKey(row, hash, clock.now())) return row;
    // From memory a dead key would be refused sooner than one that never was, and the time would tell them apart.
    cache.delete(hash);
    return undefined;
  }

  function forget(): void {
    cache.clear();
    changes++;
  }

  return {
    authenticate(key) {
      if (key === undefined || !hasKeyShape(key)) return undefined;
      const hash = hashKey(key);
      const row = remembered(hash);
      if (row) return check(row, hash);
      return isWellFormedKey(key) ? find(hash).then((found) => check(found, hash)) : undefined;
    },
    hash: hashKey,
    confirm(keysVersion) {
      if (keysVersion !== version) forget();
      version = keysVersion;
      confirmedAt = clock.monotonic();
    },
    forget,
  };
}

/** Whether a text with this hash opens anything now. */
export function isValidKey(row: KeyRow, hash: string, now: number): boolean {
  if (!isLiveKey(row, now)) return false;
  return row.hash === hash || (row.oldHash === hash && row.oldHashUntil !== null && row.oldHashUntil > now);
}
