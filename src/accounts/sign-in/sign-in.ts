// Signing in to the site, with a key or with a name and a password. Whatever is wrong is told alike, and takes alike long.

import type { Authenticator } from '../keys/authenticator.ts';
import type { SignInGuard } from './guard-sign-in.ts';
import type { Passwords } from './passwords.ts';
import { isAllowedName, MAX_PASSWORD_BYTES, normalName } from './read-login.ts';
import { type OpenedSession, openSession, type SessionTools } from './sessions.ts';

export interface SignInTools extends SessionTools {
  authenticator: Authenticator;
  passwords: Passwords;
  guard: SignInGuard;
}

export interface Visitor {
  /** Keyed hash of the client's address. */
  address: string;
  /** The cookie that the browser came with; its session ends. */
  cookie?: string | undefined;
}

/** Undefined if the key is not good. A good one passes however many bad ones came from its address. */
export async function signInWithKey(
  tools: SignInTools,
  keyText: string,
  visitor: Visitor,
): Promise<OpenedSession | undefined> {
  // Full-width letters, as an input method leaves them, are the same key.
  const key = keyText.normalize('NFKC').trim();
  const row = await tools.authenticator.authenticate(key);
  if (!row) {
    tools.guard.countTry(visitor.address);
    return undefined;
  }
  const { accountId, keyId, manage, presentedHash: keyHash } = row;
  return await openSession(tools, { accountId, keyId, canManage: manage, keyHash }, visitor.cookie);
}

/** Undefined if the name or the password is not right. Every try counts: the work itself must be rationed. */
export async function signInWithPassword(
  tools: SignInTools,
  nameText: string,
  password: string,
  visitor: Visitor,
): Promise<OpenedSession | undefined> {
  const name = normalName(nameText);
  const isPossible = isAllowedName(name) && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
  tools.guard.countTry(visitor.address, isAllowedName(name) ? name : undefined);
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
