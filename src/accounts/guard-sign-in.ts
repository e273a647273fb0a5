// How often somebody may guess: so many tries a minute from one address, and so many at one name. Counted in memory.

import { fault } from '../faults/fault.ts';
import { type Clock, MINUTE_MS } from '../kit/clock.ts';
import { type Counter, createCounter } from '../limits/counter.ts';

export interface SignInGuard {
  /** Counts a try; throws `auth_rate_limited` if it is one too many. Without a name only the address counts. */
  countTry(address: string, name?: string): void;
  /** Counts a password that an account sets: the work is as slow as a try's. */
  countChange(accountId: string): void;
}

const TRIES = 10;
const MOST_SUBJECTS = 50_000;

export function createSignInGuard(clock: Clock): SignInGuard {
  const options = { clock, spanMs: MINUTE_MS, mostSubjects: MOST_SUBJECTS };
  const byAddress = createCounter(options);
  const byName = createCounter(options);
  const byAccount = createCounter(options);
  return {
    countTry(address, name) {
      count(byAddress, address);
      if (name !== undefined) count(byName, name);
    },
    countChange(accountId) {
      count(byAccount, accountId);
    },
  };
}

function count(counter: Counter, subject: string): void {
  if (counter.take(subject, TRIES)) return;
  throw fault('auth_rate_limited', {
    message: 'Wait a minute, then sign in again: there were too many tries.',
    ...counter.reached(subject, TRIES),
  });
}
