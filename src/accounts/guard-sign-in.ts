// How often somebody may guess: so many tries a minute from one address, and so many at one name. Counted in memory.

import { fault } from '../faults/fault.ts';
import { type Clock, MINUTE_MS } from '../kit/clock.ts';
import { createCounter } from '../limits/counter.ts';

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
      if (!byAddress.take(address, TRIES)) throw tooMany(byAddress.waitS(address, TRIES));
      if (name !== undefined && !byName.take(name, TRIES)) throw tooMany(byName.waitS(name, TRIES));
    },
    countChange(accountId) {
      if (!byAccount.take(accountId, TRIES)) throw tooMany(byAccount.waitS(accountId, TRIES));
    },
  };

  function tooMany(waitS: number) {
    return fault('auth_rate_limited', {
      message: 'Wait a minute, then sign in again: there were too many tries.',
      retryAfterS: waitS,
      figures: { limit: TRIES, used: TRIES, resets_at: new Date(clock.now() + waitS * 1000).toISOString() },
    });
  }
}
