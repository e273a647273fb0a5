// Sessions of the site. The cookie is `<account>.<secret>`; stored is only a keyed hash of it. A session ends after half an
// hour without a visit and after twelve hours at the latest, and one that was opened with a key ends with that key's text.

import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { createHasher } from '../../kit/sealed.ts';
import { isValidKey } from '../../store/key-rules.ts';
import type { KeyRow } from '../../store/rows.ts';
import { isLiveSession } from '../../store/session-rules.ts';
import type { Store } from '../../store/store.ts';

export interface SessionTools {
  store: Store;
  clock: Clock;
  random: Random;
  /** Keyed hash of a cookie's value. */
  hashSession(cookie: string): string;
}

export interface SiteSession {
  accountId: string;
  /** The key that opened it; null after a name and a password. */
  keyId: string | null;
  canManage: boolean;
}

/** What a visitor has shown. */
export interface Proof extends SiteSession {
  /** Keyed hash of the text of the key. */
  keyHash?: string;
  /** What the password was found right by. */
  passwordHash?: string;
}

export interface OpenedSession extends SiteSession {
  /** The value of the cookie; it is known to nobody afterwards. */
  cookie: string;
}

const SECRET_BYTES = 32;
const COOKIE = /^(acc_[0-9a-z]+)\.[\w-]{43}$/;
/** A visit is written down at most so often. */
const TOUCH_MS = 60_000;

export function createSessionHasher(pepper: string): (cookie: string) => string {
  return createHasher(pepper, 'session');
}

/** Too many sessions are open, and none of them may make way. */
export class SessionsFull extends Error {}

/** It was open when the visit began, and was ended meanwhile. */
export class SessionEnded extends Error {}

/** Always a new secret; the session that the browser came with ends. Undefined if the password was changed meanwhile. */
export async function openSession(
  tools: SessionTools,
  { accountId, keyId, canManage, keyHash, passwordHash }: Proof,
  oldCookie: string | undefined,
): Promise<OpenedSession | undefined> {
  const { store, clock, random, hashSession } = tools;
  await endSession(tools, oldCookie);
  const cookie = `${accountId}.${Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')}`;
  const at = clock.now();
  const session = { hash: hashSession(cookie), keyId, keyHash, createdAt: at, seenAt: at };
  const marked = canManage ? session : { ...session, onlyCalls: true };
  const result = await store.commit('openSession', { accountId, session: marked, passwordHash, at });
  if (result.ok) return { accountId, keyId, canManage, cookie };
  if (result.reason === 'full') throw new SessionsFull();
  return undefined;
}

/** Undefined for whatever is not an open session. */
export async function readSession(
  { store, hashSession }: SessionTools,
  cookie: string | undefined,
  now: number,
): Promise<SiteSession | undefined> {
  const accountId = accountOf(cookie);
  if (cookie === undefined || accountId === undefined) return undefined;
  const hash = hashSession(cookie);
  const login = await store.read.login(accountId);
  const session = login?.sessions.find((one) => one.hash === hash);
  if (!session || !isLiveSession(session, now)) return undefined;
  const { keyId } = session;
  const key = keyId === null ? undefined : await store.read.keyById(keyId);
  if (keyId !== null && !isStillValid(key, session.keyHash, now)) return undefined;
  if (now - session.seenAt >= TOUCH_MS) {
    // A visit that could not be written down is still a visit.
    await store.commit('touchSession', { accountId, hash, at: now }).catch(() => undefined);
  }
  return { accountId, keyId, canManage: keyId === null || (key?.manage ?? false) };
}

/** Signs out this browser. */
export async function endSession({ store, hashSession }: SessionTools, cookie: string | undefined): Promise<void> {
  const accountId = accountOf(cookie);
  if (cookie === undefined || accountId === undefined) return;
  await store.commit('closeSession', { accountId, hash: hashSession(cookie) });
}

/** Signs out everywhere. Who does not manage ends what their own key opened. */
export async function endSessions(
  { store }: Pick<SessionTools, 'store'>,
  { accountId, keyId, canManage }: SiteSession,
): Promise<void> {
  await store.commit('closeSessions', { accountId, openedBy: canManage ? undefined : keyId });
}

function accountOf(cookie: string | undefined): string | undefined {
  return COOKIE.exec(cookie ?? '')?.[1];
}

function isStillValid(key: KeyRow | undefined, hash: string | undefined, now: number): boolean {
  return key !== undefined && hash !== undefined && isValidKey(key, hash, now);
}
