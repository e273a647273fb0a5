// Signs in to the site, with a key or with a name and a password, and sets these two. All failures to sign in look the same
// and take the same time.

import { fault } from '../../faults/fault.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import type { SignInGuard } from './guard-sign-in.ts';
import type { Passwords } from './passwords.ts';
import { type OpenedSession, openSession, SessionEnded, type SessionTools } from './sessions.ts';

export interface SignInTools extends SessionTools {
  authenticator: Authenticator;
  passwords: Passwords;
  guard: SignInGuard;
}

interface Visitor {
  /** Keyed hash of the client's address. */
  address: string;
  /** The browser's current cookie; its session ends. */
  cookie?: string | undefined;
}

export const MIN_PASSWORD_CHARS = 12;
const MAX_PASSWORD_BYTES = 1_024;
const NAME = /^[a-z0-9._-]{3,40}$/;

/** Names are compared in lower case and in normal width: an input method may leave them full-width. */
function normalName(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

/** Undefined for an invalid key. A valid key is accepted however many invalid ones its address sent. */
export async function signInWithKey(
  tools: SignInTools,
  keyText: string,
  visitor: Visitor,
): Promise<OpenedSession | undefined> {
  // Input methods may leave full-width letters.
  const key = keyText.normalize('NFKC').trim();
  const row = await tools.authenticator.authenticate(key);
  if (!row) {
    tools.guard.countTry(visitor.address);
    return undefined;
  }
  const { accountId, keyId, manage, presentedHash: keyHash } = row;
  return await openSession(tools, { accountId, keyId, canManage: manage, keyHash }, visitor.cookie);
}

/** Undefined for a wrong name or password. Every attempt counts, because hashing itself must be limited. */
export async function signInWithPassword(
  tools: SignInTools,
  nameText: string,
  password: string,
  visitor: Visitor,
): Promise<OpenedSession | undefined> {
  const name = normalName(nameText);
  const isName = NAME.test(name);
  const isPossible = isName && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
  tools.guard.countTry(visitor.address, isName ? name : undefined);
  const { read } = tools.store;
  const accountId = (isPossible ? await read.accountByLogin(name) : undefined) ?? NOBODY;
  const login = await read.login(accountId);
  const passwordHash = login?.passwordHash ?? undefined;
  const isRight = await tools.passwords.verify(isPossible ? password : NO_PASSWORD, passwordHash);
  if (!isRight || passwordHash === undefined) return undefined;
  tools.guard.noteSignIn(visitor.address, name);
  return await openSession(tools, { accountId, keyId: null, canManage: true, passwordHash }, visitor.cookie);
}

const NOBODY = 'acc_';
const NO_PASSWORD = 'no password';

type Refusal = 'name_not_allowed' | 'name_taken' | 'password_too_short' | 'password_too_long' | 'not_permitted';
type PasswordSet = { ok: true; name: string } | { ok: false; reason: Refusal };

const MAX_RUNS = 5;

/**
 * Sets a name and a password for signing in without a key. All other sessions end; the session of this cookie needs manage
 * permission and stays open.
 */
export async function setPassword(
  { store, clock, passwords, guard, hashSession }: Omit<SignInTools, 'authenticator'>,
  accountId: string,
  nameText: string,
  password: string,
  cookie?: string,
): Promise<PasswordSet> {
  const name = normalName(nameText);
  if (!NAME.test(name)) return { ok: false, reason: 'name_not_allowed' };
  if ([...password].length < MIN_PASSWORD_CHARS) return { ok: false, reason: 'password_too_short' };
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return { ok: false, reason: 'password_too_long' };
  guard.countChange(accountId);
  const passwordHash = await passwords.hash(password);
  const by = cookie === undefined ? undefined : { session: hashSession(cookie) };
  for (let run = 1; ; run++) {
    const before = (await store.read.login(accountId))?.name ?? null;
    const input = { accountId, before, name, passwordHash, by, at: clock.now() };
    const result = await store.commit('setLogin', input);
    if (result.ok) return { ok: true, name };
    if (result.reason === 'name_taken') return { ok: false, reason: 'name_taken' };
    // The session is open, but its key has lost manage permission.
    if (result.reason === 'actor_not_permitted') return { ok: false, reason: 'not_permitted' };
    if (result.reason !== 'changed') throw new SessionEnded();
    // Another browser of the same account changed it first.
    if (run === MAX_RUNS) throw fault('unavailable', { internal: 'the name of the account kept changing' });
  }
}
