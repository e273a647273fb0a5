// The keys of an account. Every change is decided with all keys at hand and under the lock of the account's wallet, so that
// two callers cannot remove the last two managing keys at once.

import {
  ancestorsOf,
  type ChildRefusal,
  isBelow,
  isDelegating,
  isLiveChain,
  isLiveKey,
  isRestricted,
  MAX_DEPTH,
  refuseChild,
} from '../key-chain.ts';
import { changeLimits, type LimitChanges, limitsToText, textToLimits } from '../key-limits.ts';
import type { KeyDetails, KeyRow } from '../rows.ts';
import { type ActorInput, type ActorRefusal, keyringTouches, type Logged, noteAction, refuseActor } from './actors.ts';
import type { Book, Operations } from './book.ts';
import { putLimits } from './budgets.ts';
import {
  countKeyMade,
  type KeysMadeRefusal,
  keysMadeWindow,
  makeRoom,
  revoked,
  type TooManyKeys,
} from './key-count.ts';
import { moveSession } from './logins.ts';
import { checkReplay, type ReplayRequest, rememberReplay, replayTouches } from './replays.ts';

export interface CreateKeyInput extends Logged, ActorInput {
  key: KeyRow;
  at: number;
  replay?: ReplayRequest | undefined;
  /** Such a key is not allowed now: only a replay of this Idempotency-Key is answered. */
  onlyReplay?: boolean;
}

/** A repeated call gets the key as it was created, even if it has changed since. */
export type CreateKeyResult =
  | { ok: true; key: KeyDetails; replayedSalt?: string }
  | { ok: false; reason: ActorRefusal | 'not_found' | ReplayRefusal | 'no_replay' }
  | TooManyKeys
  | KeysMadeRefusal
  | ChildRefusal;

/** `replayed_key_gone`: an earlier version remembered only the id, and that key was deleted. */
type ReplayRefusal = 'idempotency_key_reused' | 'replayed_key_gone';

export interface ChangeKeyInput extends ActorInput {
  accountId: string;
  keyId: string;
  changes: Partial<Pick<KeyRow, 'name' | 'models' | 'dailyBudget' | 'expiresAt' | 'manage' | 'delegate'>> & {
    limits?: LimitChanges;
  };
  at: number;
}

/** If the caller is a session that this key opened, the session stays valid with the new text. */
interface RotateKeyInput extends ActorInput {
  accountId: string;
  keyId: string;
  hash: string;
  last4: string;
  /** The old key works until then; a time that is not in the future ends it at once. */
  graceUntil: number;
  at: number;
  replay?: ReplayRequest | undefined;
}

/** A repeated call gets the key as it was after the first one. */
export type RotateKeyResult =
  | { ok: true; key: KeyDetails; replayedSalt?: string }
  | { ok: false; reason: RefusedKeyReason | ReplayRefusal }
  | ChildRefusal;

interface RevokeKeyInput extends Logged, ActorInput {
  accountId: string;
  keyId: string;
  at: number;
  /** The operator may revoke even the last managing key. */
  evenIfLast?: boolean;
}

type RefusedKeyReason = ActorRefusal | 'not_found' | 'last_key' | 'restricted';

/** Revokes the key and the keys below it. */
export type KeyResult = { ok: true; key: KeyRow } | { ok: false; reason: RefusedKeyReason } | ChildRefusal;

export const KEYRING = {
  createKey: {
    touches: (input: CreateKeyInput) => [
      ...keyringTouches(input.key.accountId, input.by),
      { table: 'budgets', id: input.key.keyId },
      { table: 'windows', id: keysMadeWindow(input.key) },
      ...replayTouches(input.replay),
    ],
    decide: createKey,
  },
  changeKey: {
    touches: ({ accountId, keyId, by }: ChangeKeyInput) => [
      ...keyringTouches(accountId, by),
      { table: 'budgets', id: keyId },
    ],
    decide: changeKey,
  },
  rotateKey: {
    touches: ({ accountId, by, replay }: RotateKeyInput) => [
      ...keyringTouches(accountId, by),
      ...replayTouches(replay),
    ],
    decide: rotateKey,
  },
  revokeKey: { touches: ({ accountId, by }: RevokeKeyInput) => keyringTouches(accountId, by), decide: revokeKey },
} satisfies Operations;

function createKey(book: Book, input: CreateKeyInput): CreateKeyResult {
  const { key: asked, replay, by, at, onlyReplay } = input;
  const known = checkReplay(book, replay, at);
  if (known.found === 'other_body') return { ok: false, reason: 'idempotency_key_reused' };
  const keys = book.get('keyrings', asked.accountId) ?? [];
  if (known.found === 'same') return replayed(known, keys);
  const ancestors = ancestorsOf(keys, asked);
  const key = { ...asked, depth: ancestors.length };
  const refused = refuseActor(book, key.accountId, by, at, key);
  if (refused) return refused;
  if (onlyReplay) return { ok: false, reason: 'no_replay' };
  if (!book.get('wallets', key.accountId)) return { ok: false, reason: 'not_found' };
  const refusedChild = refuseNewChild(key, ancestors, at);
  if (refusedChild) return refusedChild;
  const others = makeRoom(keys, { ancestors, by, at });
  if ('ok' in others) return others;
  const refusedToday = countKeyMade(book, input);
  if (refusedToday) return refusedToday;
  book.put('keyrings', key.accountId, [...others, key]);
  putLimits(book, key);
  rememberReplay(book, replay, remembered(key), at);
  noteAction(book, input);
  for (const one of others) if (!keys.includes(one)) noteKey(book, 'key.revoked', one, at);
  noteKey(book, 'key.created', key, at);
  return { ok: true, key };
}

/** Undefined also for a key without a parent. */
function refuseNewChild(key: KeyRow, ancestors: readonly KeyRow[], at: number): ChildRefusal | undefined {
  if (key.parentId === null) return undefined;
  const [parent, ...above] = ancestors;
  if (!parent) return { ok: false, reason: 'parent_gone' };
  if (parent.depth >= MAX_DEPTH) return { ok: false, reason: 'too_deep' };
  if (!isLiveChain(parent, above, at)) return { ok: false, reason: 'parent_gone' };
  if (!isDelegating(parent, above)) return { ok: false, reason: 'parent_not_delegating' };
  return refuseChild(key, ancestors, undefined);
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

type Replayed = { ok: true; key: KeyDetails; replayedSalt: string } | { ok: false; reason: 'replayed_key_gone' };

function replayed({ result, salt }: { result: string; salt: string }, keys: readonly KeyRow[]): Replayed {
  const key = shownBefore(result, keys);
  return key ? { ok: true, key, replayedSalt: salt } : { ok: false, reason: 'replayed_key_gone' };
}

/** Rows of an earlier version hold the id alone: such a key is shown as it is now, unless it was deleted. */
function shownBefore(result: string, keys: readonly KeyRow[]): KeyDetails | undefined {
  const shown = JSON.parse(result) as Remembered | string;
  if (typeof shown !== 'string') {
    const { dailyBudget, limits = '{}', parentId = null, depth = 0, delegate = false } = shown;
    const amount = dailyBudget === null ? null : BigInt(dailyBudget);
    return { ...shown, dailyBudget: amount, limits: textToLimits(limits), parentId, depth, delegate };
  }
  return keys.find(({ keyId, revokedAt }) => keyId === shown && revokedAt === null);
}

function changeKey(book: Book, { changes: { limits, ...changes }, ...input }: ChangeKeyInput): KeyResult {
  const change = (key: KeyRow) => ({ ...key, ...changes, limits: changeLimits(key.limits, limits ?? {}) });
  const result = replaceKey(book, input, change, { mayDelegate: true });
  if (result.ok) putLimits(book, result.key);
  return result;
}

function rotateKey(book: Book, input: RotateKeyInput): RotateKeyResult {
  const { accountId, keyId, hash, last4, graceUntil, by, at, replay } = input;
  const known = checkReplay(book, replay, at);
  if (known.found === 'other_body') return { ok: false, reason: 'idempotency_key_reused' };
  const keys = book.get('keyrings', accountId) ?? [];
  // A repeated call of a key that rotates itself gets the same result, though its text is no longer valid.
  if (known.found === 'same') return replayed(known, keys);
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
  noteRotation(book, result.key, at);
  return result;
}

/** With all keys below it. */
function revokeKey(book: Book, input: RevokeKeyInput): KeyResult {
  const revoke = (key: KeyRow) => revoked(key, input.at);
  const result = replaceKey(book, input, revoke, { mayDelegate: true, evenIfLast: input.evenIfLast });
  if (!result.ok) return result;
  const keys = book.get('keyrings', input.accountId) ?? [];
  const children = keys.filter((key) => key.revokedAt === null && isBelow(keys, key, input.keyId));
  if (children.length > 0) {
    book.put(
      'keyrings',
      input.accountId,
      keys.map((key) => (children.includes(key) ? revoke(key) : key)),
    );
  }
  noteAction(book, input);
  for (const key of [result.key, ...children]) noteKey(book, 'key.revoked', key, input.at);
  return result;
}

interface Replaced extends ActorInput {
  accountId: string;
  keyId: string;
  at: number;
}

interface ReplaceOptions {
  /** A delegating key above it may do it. */
  mayDelegate?: boolean;
  evenIfLast?: boolean | undefined;
}

function replaceKey(
  book: Book,
  { accountId, keyId, by, at }: Replaced,
  replace: (key: KeyRow) => KeyRow,
  { mayDelegate = false, evenIfLast = false }: ReplaceOptions = {},
): KeyResult {
  const keys = book.get('keyrings', accountId) ?? [];
  const known = keys.find((key) => key.keyId === keyId);
  const refused = refuseActor(book, accountId, by, at, mayDelegate ? known : undefined);
  if (refused) return refused;
  if (!known || known.revokedAt !== null) return { ok: false, reason: 'not_found' };
  const key = replace(known);
  const refusedChild = key.parentId === null ? undefined : refuseChild(key, ancestorsOf(keys, key), known);
  if (refusedChild && key.revokedAt === null) return refusedChild;
  if (key.manage && isRestricted(key)) return { ok: false, reason: 'restricted' };
  const next = keys.map((one) => (one === known ? key : one));
  const manages = (one: KeyRow) => one.manage && isLiveKey(one, at);
  if (!evenIfLast && manages(known) && !next.some(manages)) return { ok: false, reason: 'last_key' };
  book.put('keyrings', accountId, next);
  return { ok: true, key };
}

type KeyOf = Pick<KeyRow, 'accountId' | 'keyId' | 'parentId'>;

export function noteKey(book: Book, type: 'key.created' | 'key.revoked', key: KeyOf, at: number): void {
  const { accountId, keyId, parentId } = key;
  book.add('events', { accountId, type, at, data: { key_id: keyId, parent_id: parentId } });
}

function noteRotation(book: Book, { accountId, keyId, parentId, oldHashUntil }: KeyRow, at: number): void {
  const until = oldHashUntil === null ? null : new Date(oldHashUntil).toISOString();
  const data = { key_id: keyId, parent_id: parentId, old_until: until };
  book.add('events', { accountId, type: 'key.rotated', at, data });
}
