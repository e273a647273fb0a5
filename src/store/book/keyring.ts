// The keys of an account. Every change is decided on all of them together, under the lock of the account's wallet, so
// that two callers cannot remove the last managing key at once.

import { assert } from '../../kit/assert.ts';
import { limitsToText, textToLimits } from '../key-limits.ts';
import { isLiveKey, isRestricted } from '../key-rules.ts';
import type {
  ChangeKeyInput,
  CreateKeyInput,
  CreateKeyResult,
  KeyResult,
  RevokeKeyInput,
  RotateKeyInput,
  RotateKeyResult,
} from '../operations.ts';
import type { KeyDetails, KeyRow } from '../rows.ts';
import { noteAction } from './actions.ts';
import { type Acted, keyringTouches, refuseActor } from './actors.ts';
import type { Book, Touch } from './book.ts';
import { moveSession } from './logins.ts';
import { checkReplay, rememberReplay, replayTouches } from './replays.ts';

export const MAX_KEYS = 200;

export function keyTouches({ accountId, by }: ChangeKeyInput | RevokeKeyInput): Touch[] {
  return keyringTouches(accountId, by);
}

export function createKeyTouches({ key: { accountId }, by, replay }: CreateKeyInput): Touch[] {
  return [...keyringTouches(accountId, by), ...replayTouches(replay)];
}

export function rotateKeyTouches({ accountId, by, replay }: RotateKeyInput): Touch[] {
  return [...keyringTouches(accountId, by), ...replayTouches(replay)];
}

export function createKey(book: Book, input: CreateKeyInput): CreateKeyResult {
  const { key, replay, by, at, onlyReplay } = input;
  const known = checkReplay(book, replay, at);
  if (known.found === 'other_body') return { ok: false, reason: 'idempotency_key_reused' };
  const keys = book.get('keyrings', key.accountId) ?? [];
  if (known.found === 'same') return { ok: true, key: shownBefore(known.result, keys), replayedSalt: known.salt };
  const refused = refuseActor(book, key.accountId, by, at);
  if (refused) return refused;
  if (onlyReplay) return { ok: false, reason: 'no_replay' };
  if (!book.get('wallets', key.accountId)) return { ok: false, reason: 'not_found' };
  if (isFull(keys, at)) return { ok: false, reason: 'too_many_keys' };
  book.put('keyrings', key.accountId, [...keys, key]);
  rememberReplay(book, replay, remembered(key), at);
  noteAction(book, input);
  return { ok: true, key };
}

/** Amounts and limits as texts. The last four fields are missing in replays of earlier versions. */
type Remembered = Omit<KeyDetails, 'dailyBudget' | 'limits' | 'parentId' | 'depth' | 'delegate'> & {
  dailyBudget: string | null;
  limits?: string;
} & Partial<Pick<KeyDetails, 'parentId' | 'depth' | 'delegate'>>;

function remembered(key: KeyRow): Remembered {
  const { keyId, last4, name, manage, models, expiresAt, createdAt, parentId, depth, delegate } = key;
  const dailyBudget = key.dailyBudget?.toString() ?? null;
  const limits = limitsToText(key.limits);
  return { keyId, last4, name, manage, models, dailyBudget, expiresAt, createdAt, parentId, depth, delegate, limits };
}

/** Rows of an earlier version hold the id alone: such a key is shown as it is now. */
function shownBefore(result: string, keys: readonly KeyRow[]): KeyDetails {
  const shown = JSON.parse(result) as Remembered | string;
  if (typeof shown !== 'string') {
    const { dailyBudget, limits = '{}', parentId = null, depth = 0, delegate = false } = shown;
    const amount = dailyBudget === null ? null : BigInt(dailyBudget);
    return { ...shown, dailyBudget: amount, limits: textToLimits(limits), parentId, depth, delegate };
  }
  const key = keys.find(({ keyId }) => keyId === shown);
  assert(key, 'a replayed key exists');
  return key;
}

export function changeKey(book: Book, { changes, ...input }: ChangeKeyInput): KeyResult {
  return replaceKey(book, input, (key) => ({ ...key, ...changes }));
}

export function rotateKey(book: Book, input: RotateKeyInput): RotateKeyResult {
  const { accountId, keyId, hash, last4, graceUntil, by, at, replay } = input;
  const known = checkReplay(book, replay, at);
  if (known.found === 'other_body') return { ok: false, reason: 'idempotency_key_reused' };
  const keys = book.get('keyrings', accountId) ?? [];
  // A twin of a key that rotates itself is told of it, though the text it came with died by that.
  if (known.found === 'same') return { ok: true, key: shownBefore(known.result, keys), replayedSalt: known.salt };
  const result = replaceKey(book, input, (key) => ({
    ...key,
    hash,
    last4,
    ...(graceUntil > at ? { oldHash: key.hash, oldHashUntil: graceUntil } : { oldHash: null, oldHashUntil: null }),
  }));
  if (!result.ok) return result;
  const before = keys.find((key) => key.keyId === keyId);
  if (before && by && 'session' in by) moveSession(book, before, by.session, hash);
  rememberReplay(book, replay, remembered(result.key), at);
  return result;
}

export function revokeKey(book: Book, input: RevokeKeyInput): KeyResult {
  const revoke = (key: KeyRow) => ({ ...key, revokedAt: input.at, oldHash: null, oldHashUntil: null });
  const result = replaceKey(book, input, revoke, input.evenIfLast);
  if (result.ok) noteAction(book, input);
  return result;
}

interface Replaced extends Acted {
  accountId: string;
  keyId: string;
  at: number;
}

function replaceKey(
  book: Book,
  { accountId, keyId, by, at }: Replaced,
  replace: (key: KeyRow) => KeyRow,
  evenIfLast = false,
): KeyResult {
  const refused = refuseActor(book, accountId, by, at);
  if (refused) return refused;
  const keys = book.get('keyrings', accountId) ?? [];
  const known = keys.find((key) => key.keyId === keyId);
  if (!known || known.revokedAt !== null) return { ok: false, reason: 'not_found' };
  const key = replace(known);
  if (key.manage && isRestricted(key)) return { ok: false, reason: 'restricted' };
  if (!isLiveKey(known, at) && isLiveKey(key, at) && isFull(keys, at)) return { ok: false, reason: 'too_many_keys' };
  const next = keys.map((one) => (one === known ? key : one));
  const manages = (one: KeyRow) => one.manage && isLiveKey(one, at);
  if (!evenIfLast && manages(known) && !next.some(manages)) return { ok: false, reason: 'last_key' };
  book.put('keyrings', accountId, next);
  return { ok: true, key };
}

/** Of all keys of an account: no further one may be added. */
export function isFull(keys: readonly KeyRow[], at: number): boolean {
  return keys.filter((one) => isLiveKey(one, at)).length >= MAX_KEYS;
}
