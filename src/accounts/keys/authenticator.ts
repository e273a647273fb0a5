// From the text of a key to the key's row. Well-formed keys are looked up by their HMAC; rows are kept in memory only
// while the store has confirmed, within the last second, that no key has changed: so a revoked key stops in time. Whoever
// had to wait asks again before acting on a key.

import type { Clock } from '../../kit/clock.ts';
import { createHasher } from '../../kit/sealed.ts';
import { isValidKey } from '../../store/key-rules.ts';
import type { Reads } from '../../store/read-table.ts';
import type { KeyRow } from '../../store/rows.ts';
import { hasKeyShape, isWellFormedKey } from './key-format.ts';

const CACHE_SIZE = 20_000;
const TRUSTED_FOR_MS = 1_000;

export interface KeyStore {
  read: Pick<Reads, 'keyByHash'>;
}

/** A key as it was found for somebody who had its text. */
export interface PresentedKey extends KeyRow {
  /** Of the text that was presented: after a rotation it may be the old one. */
  presentedHash: string;
  /** How many changes had been told when the store was asked for it, and when that was. */
  changesBefore: number;
  askedAt: number;
}

type Found = PresentedKey | undefined;

export interface Authenticator {
  /** Undefined alike for malformed, unknown, revoked and expired keys. A key it knows needs no wait. */
  authenticate(key: string | undefined): Found | Promise<Found>;
  /** The same key as it is by now; undefined if that text opens nothing any more. While no key has changed it needs no wait. */
  again(key: PresentedKey): Found | Promise<Found>;
  /** For who found the key by other means, and acts as if its text had been presented. */
  byHash(hash: string): Found | Promise<Found>;
  hash(key: string): string;
  /** Called with every pulse of the store. `askedAt`: monotonic time, before the store was asked: from then on a key may have
   * changed, however long the answer took. */
  confirm(keysVersion: string, askedAt: number): void;
  /** Called when this node itself has changed a key: here it holds at once. */
  forget(): void;
}

export function createAuthenticator(store: KeyStore, clock: Clock, pepper: string): Authenticator {
  const hashKey = createHasher(pepper, 'key');
  const cache = new Map<string, PresentedKey>();
  let version: string | undefined;
  let changes = 0;
  let confirmedAt = Number.NEGATIVE_INFINITY;

  function remembered(hash: string): Found {
    return clock.monotonic() - confirmedAt < TRUSTED_FOR_MS ? cache.get(hash) : undefined;
  }

  async function find(presentedHash: string): Promise<Found> {
    const changesBefore = changes;
    const askedAt = clock.monotonic();
    const row = await store.read.keyByHash(presentedHash);
    const key = row && { ...row, presentedHash, changesBefore, askedAt };
    // A change told meanwhile may be one that this row does not have yet.
    if (key && changes === changesBefore) {
      if (cache.size >= CACHE_SIZE) cache.clear();
      cache.set(presentedHash, key);
    }
    return check(key, presentedHash);
  }

  function check(key: Found, hash: string): Found {
    if (key && isValidKey(key, hash, clock.now())) return key;
    // From memory a dead key would be refused sooner than one that never was, and the time would tell them apart.
    cache.delete(hash);
    return undefined;
  }

  function byHash(hash: string): Found | Promise<Found> {
    const known = remembered(hash);
    return known ? check(known, hash) : find(hash);
  }

  function isCurrent({ changesBefore, askedAt }: PresentedKey): boolean {
    return changesBefore === changes && clock.monotonic() - Math.max(confirmedAt, askedAt) < TRUSTED_FOR_MS;
  }

  function forget(): void {
    cache.clear();
    changes++;
  }

  return {
    authenticate(key) {
      if (key === undefined || !hasKeyShape(key)) return undefined;
      const hash = hashKey(key);
      // What is remembered was well formed.
      const known = remembered(hash);
      if (known) return check(known, hash);
      return isWellFormedKey(key) ? find(hash) : undefined;
    },
    again(key) {
      const { presentedHash: hash } = key;
      return isCurrent(key) ? check(key, hash) : byHash(hash);
    },
    byHash,
    hash: hashKey,
    confirm(keysVersion, askedAt) {
      if (keysVersion !== version) forget();
      version = keysVersion;
      confirmedAt = Math.max(confirmedAt, askedAt);
    },
    forget,
  };
}
