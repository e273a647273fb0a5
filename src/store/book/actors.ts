// Checks who changes an account inside the operation itself, because the key may have been revoked, rotated or restricted
// since the call arrived. Actions of operators are logged in the same operation.

import { ancestorsOf, isBelow, isDelegating, isLiveChain, isValidKey } from '../key-chain.ts';
import { type Action, isLiveSession, type KeyRow } from '../rows.ts';
import type { Book, Touch } from './book.ts';

/** A key by its id and the hash of the text that was presented, or a session of the site by the hash of its cookie. */
export type Actor = { keyId: string; keyHash: string } | { session: string };

/**
 * The key or session that requests an operation: a managing key, or a delegating key for keys below it. Undefined if the
 * operator or the service itself requests it.
 */
export interface ActorInput {
  by?: Actor | undefined;
}

/** `actor_gone`: the key or the session is no longer valid. `actor_not_permitted`: it does not manage any more. */
export type ActorRefusal = 'actor_gone' | 'actor_not_permitted';

/** The pages needed to decide about an account's keys and about the actor. */
export function keyringTouches(accountId: string, by: Actor | undefined): Touch[] {
  return [
    { table: 'wallets', id: accountId },
    { table: 'keyrings', id: accountId },
    ...(by && 'session' in by ? [{ table: 'logins', id: accountId } as const] : []),
  ];
}

export function refuseActor(
  book: Book,
  accountId: string,
  by: Actor | undefined,
  at: number,
  /** The key that is made or changed, where a delegating key above it may ask for that. */
  about?: Pick<KeyRow, 'parentId'>,
): { ok: false; reason: ActorRefusal } | undefined {
  if (!by) return undefined;
  const keys = book.get('keyrings', accountId) ?? [];
  const reason =
    'session' in by ? refusedSession(book, accountId, by.session, keys, at) : refusedKey(keys, by, at, about);
  return reason && { ok: false, reason };
}

function refusedSession(
  book: Book,
  accountId: string,
  hash: string,
  keys: readonly KeyRow[],
  at: number,
): ActorRefusal | undefined {
  const session = book.get('logins', accountId)?.sessions.find((one) => one.hash === hash);
  if (!session || !isLiveSession(session, at)) return 'actor_gone';
  const { keyId, keyHash = '' } = session;
  return keyId === null ? undefined : refusedKey(keys, { keyId, keyHash }, at);
}

function refusedKey(
  keys: readonly KeyRow[],
  { keyId, keyHash }: { keyId: string; keyHash: string },
  at: number,
  about?: Pick<KeyRow, 'parentId'>,
): ActorRefusal | undefined {
  const key = keys.find((one) => one.keyId === keyId);
  if (!key || !isValidKey(key, keyHash, at)) return 'actor_gone';
  const ancestors = ancestorsOf(keys, key);
  if (!isLiveChain(key, ancestors, at)) return 'actor_gone';
  if (key.manage || (isDelegating(key, ancestors) && about && isBelow(keys, about, keyId))) return undefined;
  return 'actor_not_permitted';
}

/** For every operation that an operator can request; undefined if another caller did. */
export interface Logged {
  log?: Action | undefined;
}

export function noteAction(book: Book, { log }: Logged): undefined {
  if (log) book.add('actions', log);
}
