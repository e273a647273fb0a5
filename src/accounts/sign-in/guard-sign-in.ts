// How often somebody may guess: so many tries a minute from one address, and ten times as many at one name from addresses
// that never signed in with it. So wrong passwords from elsewhere lock out nobody who has signed in before, and a single
// address cannot lock out anybody. Counted in memory.

import { fault } from '../../faults/fault.ts';
import { type Clock, MINUTE_MS } from '../../kit/clock.ts';
import { type Counter, createCounter } from '../../limits/counter.ts';

export interface SignInGuard {
  /** Counts a try; throws `auth_rate_limited` if it is one too many. Without a name only the address counts. */
  countTry(address: string, name?: string): void;
  /** The name signed in from this address. */
  noteSignIn(address: string, name: string): void;
  /** Counts a password that an account sets: the work is as slow as a try's. */
  countChange(accountId: string): void;
}

const TRIES = 10;
/** At one name, from all addresses that are not known to be its owner's. */
const TRIES_AT_NAME = 100;
const MOST_SUBJECTS = 50_000;

export function createSignInGuard(clock: Clock): SignInGuard {
  const options = { clock, spanMs: MINUTE_MS, mostSubjects: MOST_SUBJECTS };
  const byAddress = createCounter(options);
  const byName = createCounter(options);
  const byAccount = createCounter(options);
  /** Addresses and names; the pair that signed in last stands last. */
  const known = new Set<string>();
  return {
    countTry(address, name) {
      count(byAddress, address);
      if (name !== undefined && !known.has(pairOf(address, name))) count(byName, name, TRIES_AT_NAME);
    },
    noteSignIn(address, name) {
      const pair = pairOf(address, name);
      known.delete(pair);
      known.add(pair);
      for (const oldest of known) {
        if (known.size <= MOST_SUBJECTS) break;
        known.delete(oldest);
      }
    },
    countChange(accountId) {
      count(byAccount, accountId);
    },
  };
}

function pairOf(address: string, name: string): string {
  return `${address} ${name}`;
}

function count(counter: Counter, subject: string, most = TRIES): void {
  if (counter.take(subject, most)) return;
  throw fault('auth_rate_limited', {
    message: 'There were too many tries to sign in. Wait a minute, then sign in again.',
    ...counter.reached(subject, most),
  });
}
