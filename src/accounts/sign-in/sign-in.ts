// Signs in to the site, with a key or with a name and a password. All failures look the same and take the same time.

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

interface Visitor {
  /** Keyed hash of the client's address. */
  address: string;
  /** The browser's current cookie; its session ends. */
  cookie?: string | undefined;
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
