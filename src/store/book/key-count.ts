// How many keys an account can have, how many a key can have below itself, and how many a customer makes on a Taipei day. An
// expired key counts until it is deleted. If the limit is reached, the keys that expired first are deleted to make room for
// a new one.

import { isBelow, isLiveKey } from '../key-chain.ts';
import type { KeyRow } from '../rows.ts';
import type { Actor } from './actors.ts';
import type { Book } from './book.ts';
import type { CreateKeyInput } from './keyring.ts';
import { type Allowance, takeDaySlot } from './windows.ts';

/** The account, or its delegating keys, have created the most keys allowed on one day. */
export interface KeysMadeRefusal {
  ok: false;
  reason: 'too_many_keys_today';
  allowance: Allowance;
}
/** `keyId` cannot have another key below it; null for the account. */
export interface TooManyKeys {
  ok: false;
  reason: 'too_many_keys';
  keyId: string | null;
  limit: number;
  used: number;
}

export const MAX_KEYS = 200;
/** At any depth: fewer than an account can have, so that no delegating key takes all of them. */
export const MAX_KEYS_BELOW = 100;

/** True if the account can have no further live key. */
export function isFull(keys: readonly KeyRow[], at: number): boolean {
  return keys.filter((one) => isLiveKey(one, at)).length >= MAX_KEYS;
}

interface NewKey {
  ancestors: readonly KeyRow[];
  by: Actor | undefined;
  at: number;
}

/** The keys of the account after making room for a new one, or the limit that is reached. */
export function makeRoom(keys: readonly KeyRow[], asked: NewKey): readonly KeyRow[] | TooManyKeys {
  // Fast path: most accounts have few keys.
  if (keys.length < MAX_KEYS_BELOW) return keys;
  let left = keys;
  for (const { keyId } of asked.ancestors) {
    const limit = { most: MAX_KEYS_BELOW, keyId, isCounted: (one: KeyRow) => isBelow(keys, one, keyId) };
    const fewer = makeRoomFor(left, asked, limit);
    if ('ok' in fewer) return fewer;
    left = fewer;
  }
  return makeRoomFor(left, asked, { most: MAX_KEYS, keyId: null, isCounted: () => true });
}

interface KeyCount {
  most: number;
  /** Null for the whole account. */
  keyId: string | null;
  isCounted(key: KeyRow): boolean;
}

function makeRoomFor(
  keys: readonly KeyRow[],
  { by, at }: NewKey,
  { most, keyId, isCounted }: KeyCount,
): readonly KeyRow[] | TooManyKeys {
  const counted = keys.filter((key) => key.revokedAt === null && isCounted(key));
  const excess = counted.length + 1 - most;
  if (excess <= 0) return keys;
  const expired = counted
    .filter((key) => !isLiveKey(key, at) && mayDelete(keys, key, by))
    .toSorted((one, other) => (one.expiresAt ?? 0) - (other.expiresAt ?? 0))
    .slice(0, excess);
  if (expired.length < excess) return { ok: false, reason: 'too_many_keys', keyId, limit: most, used: counted.length };
  const isDeleted = (key: KeyRow) =>
    key.revokedAt === null && expired.some((one) => one === key || isBelow(keys, key, one.keyId));
  return keys.map((key) => (isDeleted(key) ? revoked(key, at) : key));
}

/** A delegating key deletes only keys below itself. */
function mayDelete(keys: readonly KeyRow[], key: KeyRow, by: Actor | undefined): boolean {
  const actor = by && 'keyId' in by ? keys.find((one) => one.keyId === by.keyId) : undefined;
  return !actor || actor.manage || isBelow(keys, key, actor.keyId);
}

export function revoked(key: KeyRow, at: number): KeyRow {
  return { ...key, revokedAt: at, oldHash: null, oldHashUntil: null };
}

/**
 * A deleted key keeps its row, because its usage is still shown, so the number of rows is bounded by this alone. Keys below
 * others count apart: delegating keys cannot use up what the account has.
 */
export const MAX_KEYS_A_DAY = 5_000;

export function keysMadeWindow({ accountId, parentId }: Pick<KeyRow, 'accountId' | 'parentId'>): string {
  return `${parentId === null ? 'keys-made' : 'child-keys-made'}:${accountId}`;
}

/** Undefined when it is counted. What the operator makes does not count. */
export function countKeyMade(book: Book, input: CreateKeyInput): KeysMadeRefusal | undefined {
  if (!input.by) return undefined;
  const allowance = takeDaySlot(book, keysMadeWindow(input.key), input.at, MAX_KEYS_A_DAY);
  return allowance && { ok: false, reason: 'too_many_keys_today', allowance };
}
