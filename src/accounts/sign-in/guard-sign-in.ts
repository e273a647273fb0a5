// Limits sign-in attempts per minute: per address, and ten times as many per name from addresses that never signed in
// with it. So wrong passwords from elsewhere cannot lock out a user who has signed in before, and a single address
// cannot lock out anybody. Counted in memory.

import { fault } from '../../faults/fault.ts';
import { WAIT } from '../../faults/table.ts';
import { type Clock, MINUTE_MS } from '../../kit/clock.ts';
import { type Counter, createCounter } from '../../limits/counter.ts';

export type SignInGuard = ReturnType<typeof createSignInGuard>;

const TRIES = 10;
/** Per name, from all addresses that it never signed in from. */
const TRIES_AT_NAME = 100;
const MAX_SUBJECTS = 50_000;

export function createSignInGuard(clock: Clock) {
  const options = { clock, spanMs: MINUTE_MS, maxSubjects: MAX_SUBJECTS };
  const byAddress = createCounter(options);
  const byName = createCounter(options);
  const byAccount = createCounter(options);
  /** Pairs of address and name, the most recent last. */
  const known = new Set<string>();
  return {
    /** Counts an attempt; throws `auth_rate_limited` above the limit. Without a name only the address counts. */
    countTry(address: string, name?: string): void {
      count(byAddress, address);
      if (name !== undefined && !known.has(pairOf(address, name))) count(byName, name, TRIES_AT_NAME);
    },
    /** Records a successful sign-in. */
    noteSignIn(address: string, name: string): void {
      const pair = pairOf(address, name);
      known.delete(pair);
      known.add(pair);
      for (const oldest of known) {
        if (known.size <= MAX_SUBJECTS) break;
        known.delete(oldest);
      }
    },
    /** Counts a password change, which costs as much CPU as an attempt. */
    countChange: (accountId: string) => count(byAccount, accountId),
  };
}

function pairOf(address: string, name: string): string {
  return `${address} ${name}`;
}

function count(counter: Counter, subject: string, most = TRIES): void {
  if (counter.take(subject, most)) return;
  throw fault('auth_rate_limited', {
    message: `There were too many attempts to sign in. Retry in ${WAIT}.`,
    ...counter.reached(subject, most),
  });
}
