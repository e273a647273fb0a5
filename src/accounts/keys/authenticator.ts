// Finds the row of an API key and those of its ancestors. Well-formed keys are looked up by their HMAC; rows are cached
// only while the store has confirmed, within the last second, that no key has changed, so that a revoked key stops in
// time. A caller that had to wait calls `revalidate` before it acts on a key.

import type { Clock } from '../../kit/clock.ts';
import { createHasher } from '../../kit/sealed.ts';
import { allowedModels, ancestorsOf, isLiveChain, isValidKey } from '../../store/key-chain.ts';
import type { Reads } from '../../store/read-table.ts';
import type { KeyRow } from '../../store/rows.ts';
import { hasKeyShape, isWellFormedKey } from './key-format.ts';

const CACHE_SIZE = 20_000;
const TRUSTED_FOR_MS = 1_000;

interface KeyStore {
  read: Pick<Reads, 'keyByHash' | 'unrevokedKeysOf'>;
}

/** A key whose text a client presented. */
export interface PresentedKey extends KeyRow {
  /** Hash of the presented text: after a rotation it may be the old one. */
  presentedHash: string;
  ancestors: readonly KeyRow[];
  /** The models that it and all its ancestors allow; null for all. */
  allowedModels: readonly string[] | null;
  /** The number of known changes when the row was read, and the time of that. */
  changesBefore: number;
  askedAt: number;
}

type Found = PresentedKey | undefined;

export type Authenticator = ReturnType<typeof createAuthenticator>;

export function createAuthenticator(store: KeyStore, clock: Clock, pepper: string) {
  const hashKey = createHasher(pepper, 'key');
  const cache = new Map<string, PresentedKey>();
  let version: string | undefined;
  let changes = 0;
  let confirmedAt = Number.NEGATIVE_INFINITY;

  function cached(hash: string): Found {
    return clock.monotonic() - confirmedAt < TRUSTED_FOR_MS ? cache.get(hash) : undefined;
  }

  async function find(presentedHash: string): Promise<Found> {
    const changesBefore = changes;
    const askedAt = clock.monotonic();
    const row = await store.read.keyByHash(presentedHash);
    const others = row && row.parentId !== null ? await store.read.unrevokedKeysOf(row.accountId) : [];
    const ancestors = row ? ancestorsOf(others, row) : [];
    const key = row && {
      ...row,
      presentedHash,
      ancestors,
      allowedModels: allowedModels([row, ...ancestors]),
      changesBefore,
      askedAt,
    };
    // A change reported meanwhile may be newer than this row.
    if (key && changes === changesBefore) {
      if (cache.size >= CACHE_SIZE) cache.clear();
      cache.set(presentedHash, key);
    }
    return check(key, presentedHash);
  }

  function check(key: Found, hash: string): Found {
    const now = clock.now();
    if (key && isValidKey(key, hash, now) && isLiveChain(key, key.ancestors, now)) return key;
    // A revoked key refused from the cache would answer faster than an unknown one: timing would tell them apart.
    cache.delete(hash);
    return undefined;
  }

  function byHash(hash: string): Found | Promise<Found> {
    const known = cached(hash);
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
    /** Undefined for malformed, unknown, revoked and expired keys alike. Synchronous for a cached key. */
    authenticate(key: string | undefined): Found | Promise<Found> {
      if (key === undefined || !hasKeyShape(key)) return undefined;
      const hash = hashKey(key);
      // Cached keys were well formed.
      const known = cached(hash);
      if (known) return check(known, hash);
      return isWellFormedKey(key) ? find(hash) : undefined;
    },
    /** The current row of the same key; undefined if its text is no longer valid. Synchronous while no key has changed. */
    revalidate(key: PresentedKey): Found | Promise<Found> {
      const { presentedHash: hash } = key;
      return isCurrent(key) ? check(key, hash) : byHash(hash);
    },
    /** For a key that was found by other means, treated as if its text had been presented. */
    byHash,
    hash: hashKey,
    /** With every pulse of the store. `askedAt`: monotonic time before it was queried; keys may have changed since then. */
    confirm(keysVersion: string, askedAt: number): void {
      if (keysVersion !== version) forget();
      version = keysVersion;
      confirmedAt = Math.max(confirmedAt, askedAt);
    },
    /** Called when this node has changed a key, so that the change applies here at once. */
    forget,
  };
}
