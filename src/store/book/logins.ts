// Login names, passwords and sessions of the site. Each name has a separate page, so that two accounts that request the same
// name are decided one after the other.

import { assert } from '../../kit/assert.ts';
import { isLiveSession, type KeyRow, type Login, type Session } from '../rows.ts';
import { type ActorRefusal, keyringTouches, refuseActor } from './actors.ts';
import type { Book, Operations, Touch } from './book.ts';

export const MAX_SESSIONS = 20;

/** Sets name and password together, and ends every session but one, also those opened with the old password. */
export interface SetLoginInput {
  accountId: string;
  /** The current name of the account, which becomes free if the new one differs. */
  before: string | null;
  /** In lower case. */
  name: string;
  passwordHash: string;
  /** The session that requests it, which stays open. */
  by?: { session: string } | undefined;
  at: number;
}

/** Removes sessions that have ended, and one if there are too many. */
interface OpenSessionInput {
  accountId: string;
  session: Session;
  /** The hash that the password matched, in case the password was changed meanwhile. */
  passwordHash?: string | undefined;
  at: number;
}

interface SessionRef {
  accountId: string;
  hash: string;
}

const loginTouches = ({ accountId }: { accountId: string }): Touch[] => [{ table: 'logins', id: accountId }];

export const LOGIN_OPERATIONS = {
  setLogin: {
    touches: ({ accountId, before, name, by }: SetLoginInput) => [
      ...(by ? keyringTouches(accountId, by) : loginTouches({ accountId })),
      { table: 'loginNames', id: name },
      ...(before === null ? [] : [{ table: 'loginNames', id: before } as const]),
    ],
    decide: setLogin,
  },
  openSession: { touches: loginTouches, decide: openSession },
  touchSession: { touches: loginTouches, decide: touchSession },
  closeSession: { touches: loginTouches, decide: closeSession },
  closeSessions: { touches: loginTouches, decide: closeSessions },
} satisfies Operations;

/** `changed`: the current name is not `before`; read it again. */
function setLogin(
  book: Book,
  input: SetLoginInput,
): { ok: true } | { ok: false; reason: ActorRefusal | 'name_taken' | 'changed' } {
  const { accountId, before, name, passwordHash, by, at } = input;
  assert(name === name.toLowerCase(), 'names are compared in lower case');
  const refused = refuseActor(book, accountId, by, at);
  if (refused) return refused;
  const login = loginOf(book, accountId);
  if (login.name !== before) return { ok: false, reason: 'changed' };
  const holder = book.get('loginNames', name);
  if (holder && holder.accountId !== accountId) return { ok: false, reason: 'name_taken' };
  if (before !== null && before !== name) book.put('loginNames', before, undefined);
  if (!holder) book.put('loginNames', name, { accountId });
  const sessions = login.sessions.filter(({ hash }) => hash === by?.session);
  book.put('logins', accountId, { ...login, name, passwordHash, sessions, touchedAt: at });
  return { ok: true };
}

/** `changed`: the password was changed meanwhile. `full`: there are too many sessions, and it may end none of them. */
function openSession(book: Book, input: OpenSessionInput): { ok: true } | { ok: false; reason: 'changed' | 'full' } {
  const { accountId, session, passwordHash, at } = input;
  const login = loginOf(book, accountId);
  if (passwordHash !== undefined && passwordHash !== login.passwordHash) {
    return { ok: false, reason: 'changed' };
  }
  const live = login.sessions.filter((one) => isLiveSession(one, at));
  const out = live.length < MAX_SESSIONS ? undefined : sessionToEnd(live, session);
  if (live.length >= MAX_SESSIONS && !out) return { ok: false, reason: 'full' };
  const stay = live.filter((one) => one !== out);
  const sessions = [...stay, session].toSorted((a, b) => a.createdAt - b.createdAt);
  book.put('logins', accountId, { ...login, sessions, touchedAt: at });
  return { ok: true };
}

/**
 * The session that ends when there are too many. The session of a key that cannot manage ends no session that can. Among
 * such keys, the one with the most sessions loses its oldest, so that no key can keep the others out.
 */
function sessionToEnd(live: readonly Session[], { keyId, onlyCalls }: Session): Session | undefined {
  const oldest = live.toSorted((a, b) => a.createdAt - b.createdAt);
  const own = oldest.find((one) => one.keyId === keyId);
  if (!onlyCalls) return oldest.find((one) => one.onlyCalls) ?? own ?? oldest[0];
  const byKey = Map.groupBy(
    oldest.filter((one) => one.onlyCalls),
    (one) => one.keyId,
  );
  const [most = []] = [...byKey.values()].toSorted((a, b) => b.length - a.length);
  return most.length > live.filter((one) => one.keyId === keyId).length ? most[0] : own;
}

/** Does not revive a session that has ended, and does not set an earlier time. */
function touchSession(book: Book, { accountId, hash, at }: SessionRef & { at: number }): undefined {
  const login = loginOf(book, accountId);
  const isSeen = (one: Session) => one.hash === hash && one.seenAt < at && isLiveSession(one, at);
  if (!login.sessions.some(isSeen)) return;
  const sessions = login.sessions.map((one) => (isSeen(one) ? { ...one, seenAt: at } : one));
  book.put('logins', accountId, { ...login, sessions, touchedAt: at });
}

/** A session that was opened with the key's old text stays valid: rotating a key does not sign its user out. */
export function moveSession(book: Book, before: KeyRow, sessionHash: string, keyHash: string): void {
  const login = loginOf(book, before.accountId);
  const texts = [before.hash, before.oldHash];
  const opened = (one: Session) =>
    one.hash === sessionHash && one.keyId === before.keyId && texts.includes(one.keyHash ?? '');
  if (!login.sessions.some(opened)) return;
  const sessions = login.sessions.map((one) => (opened(one) ? { ...one, keyHash } : one));
  book.put('logins', before.accountId, { ...login, sessions });
}

function closeSession(book: Book, { accountId, hash }: SessionRef): undefined {
  keepSessions(book, accountId, (one) => one.hash !== hash);
}

/** Signs out everywhere. `openedBy`: only sessions that the key with this id opened. */
function closeSessions(
  book: Book,
  { accountId, openedBy }: { accountId: string; openedBy?: string | null | undefined },
): undefined {
  keepSessions(book, accountId, (one) => openedBy !== undefined && one.keyId !== openedBy);
}

function keepSessions(book: Book, accountId: string, stays: (session: Session) => boolean): void {
  const login = loginOf(book, accountId);
  const sessions = login.sessions.filter(stays);
  if (sessions.length === login.sessions.length) return;
  const isEmpty = login.name === null && sessions.length === 0;
  book.put('logins', accountId, isEmpty ? undefined : { ...login, sessions });
}

function loginOf(book: Book, accountId: string): Login {
  const nobody = { accountId, name: null, passwordHash: null, sessions: [], touchedAt: 0 };
  return book.get('logins', accountId) ?? nobody;
}
