// Sessions of the site. The cookie is `<account>.<secret>`; only a keyed hash of it is stored. A session ends after 30
// minutes without a visit, after 12 hours at the latest, and when the key that opened it is revoked or rotated.

import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { createHasher } from '../../kit/sealed.ts';
import { ancestorsOf, isLiveChain, isValidKey } from '../../store/key-chain.ts';
import { isLiveSession, type KeyRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { type Viewer, viewerOf } from '../usage/visible-keys.ts';

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

/** An open session with what it may see: of a key with a parent, its own subtree. */
export interface VisitedSession extends SiteSession, Viewer {}

export interface OpenedSession extends SiteSession {
  /** The value of the cookie, which is not stored. */
  cookie: string;
}

const SECRET_BYTES = 32;
const COOKIE = /^(acc_[0-9a-z]+)\.[\w-]{43}$/;
/** Visits are recorded at most this often. */
const TOUCH_MS = 60_000;

export function createSessionHasher(pepper: string): (cookie: string) => string {
  return createHasher(pepper, 'session');
}

/** Too many sessions are open, and none may be replaced. */
export class SessionsFull extends Error {}

/** The session was open when the visit began, but has ended since. */
export class SessionEnded extends Error {}

/** Creates a new secret and ends the browser's previous session. Undefined if the password was changed meanwhile. */
export async function openSession(
  tools: SessionTools,
  { accountId, keyId, canManage, keyHash, passwordHash }: SiteSession & { keyHash?: string; passwordHash?: string },
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

/** Undefined if there is no open session. */
export async function readSession(
  { store, hashSession }: SessionTools,
  cookie: string | undefined,
  now: number,
): Promise<VisitedSession | undefined> {
  const accountId = accountOf(cookie);
  if (cookie === undefined || accountId === undefined) return undefined;
  const hash = hashSession(cookie);
  const login = await store.read.login(accountId);
  const session = login?.sessions.find((open) => open.hash === hash);
  if (!session || !isLiveSession(session, now)) return undefined;
  const { keyId } = session;
  const key = keyId === null ? undefined : await store.read.keyById(keyId);
  const others = key && key.parentId !== null ? await store.read.unrevokedKeysOf(accountId) : [];
  if (keyId !== null && !isStillValid(key, others, session.keyHash, now)) return undefined;
  if (now - session.seenAt >= TOUCH_MS) {
    // A failure to record the visit must not refuse it.
    await store.commit('touchSession', { accountId, hash, at: now }).catch(() => undefined);
  }
  const { rootId } = key ? viewerOf(key) : { rootId: null };
  return { accountId, keyId, canManage: keyId === null || (key?.manage ?? false), rootId };
}

/** Signs out this browser. */
export async function endSession({ store, hashSession }: SessionTools, cookie: string | undefined): Promise<void> {
  const accountId = accountOf(cookie);
  if (cookie === undefined || accountId === undefined) return;
  await store.commit('closeSession', { accountId, hash: hashSession(cookie) });
}

/** Signs out everywhere. Without manage permission, only sessions of the same key end. */
export async function endSessions(
  { store }: Pick<SessionTools, 'store'>,
  { accountId, keyId, canManage }: SiteSession,
): Promise<void> {
  await store.commit('closeSessions', { accountId, openedBy: canManage ? undefined : keyId });
}

function accountOf(cookie: string | undefined): string | undefined {
  return COOKIE.exec(cookie ?? '')?.[1];
}

function isStillValid(
  key: KeyRow | undefined,
  others: readonly KeyRow[],
  hash: string | undefined,
  now: number,
): boolean {
  if (key === undefined || hash === undefined || !isValidKey(key, hash, now)) return false;
  return isLiveChain(key, ancestorsOf(others, key), now);
}
