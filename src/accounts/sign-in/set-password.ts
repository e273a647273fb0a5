// Sets a name and a password for signing in without a key. All other sessions end.

import { fault } from '../../faults/fault.ts';
import type { SignInGuard } from './guard-sign-in.ts';
import type { Passwords } from './passwords.ts';
import { isAllowedName, MAX_PASSWORD_BYTES, MIN_PASSWORD_CHARS, normalName } from './read-login.ts';
import { SessionEnded, type SessionTools } from './sessions.ts';

interface PasswordTools extends SessionTools {
  passwords: Passwords;
  guard: SignInGuard;
}

type PasswordSet =
  | { ok: true; name: string }
  | {
      ok: false;
      reason: 'name_not_allowed' | 'name_taken' | 'password_too_short' | 'password_too_long' | 'not_permitted';
    };

const MAX_RUNS = 5;

/** The session of this cookie needs manage permission and stays open. */
export async function setPassword(
  { store, clock, passwords, guard, hashSession }: PasswordTools,
  accountId: string,
  nameText: string,
  password: string,
  cookie?: string,
): Promise<PasswordSet> {
  const name = normalName(nameText);
  if (!isAllowedName(name)) return { ok: false, reason: 'name_not_allowed' };
  if ([...password].length < MIN_PASSWORD_CHARS) return { ok: false, reason: 'password_too_short' };
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return { ok: false, reason: 'password_too_long' };
  guard.countChange(accountId);
  const passwordHash = await passwords.hash(password);
  const by = cookie === undefined ? undefined : { session: hashSession(cookie) };
  for (let run = 1; ; run++) {
    const before = (await store.read.login(accountId))?.name ?? null;
    const at = clock.now();
    const input = { accountId, before, name, passwordHash, by, at };
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
