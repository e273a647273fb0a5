// Guards in the memory of this process, for what no limit in the store counts: bad keys and registrations of an address, quotes
// and changes of keys of an account.

import { fault } from '../faults/fault.ts';
import { WAIT } from '../faults/table.ts';
import type { Clock } from '../kit/clock.ts';
import { addTo } from '../kit/tally.ts';
import { createCounter } from './counter.ts';

export const QUOTES_PER_MINUTE = 600;
export const QUOTES_IN_FLIGHT = 32;

export type QuoteGuard = ReturnType<typeof createQuoteGuard>;

/** Each quote costs about as much CPU time as the admission of a call. */
export function createQuoteGuard(clock: Clock) {
  const counter = createCounter({ clock });
  const running = new Map<string, number>();

  return {
    /** Throws `too_many_in_flight` or `rate_limited`. The result ends the quote. */
    begin(accountId: string): () => void {
      const used = running.get(accountId) ?? 0;
      if (used >= QUOTES_IN_FLIGHT) {
        throw fault('too_many_in_flight', {
          message: `${used} quotes of this account are running, and ${QUOTES_IN_FLIGHT} is the most at once. Wait for one of them to end.`,
          figures: { limit: QUOTES_IN_FLIGHT, used },
        });
      }
      if (!counter.take(accountId, QUOTES_PER_MINUTE)) {
        const reached = counter.reached(accountId, QUOTES_PER_MINUTE);
        throw fault('rate_limited', {
          message: `This account has asked for ${QUOTES_PER_MINUTE} quotes in the last minute, which is the most. Retry in ${Math.ceil(reached.retryAfterS)} s, or make the call without a quote.`,
          ...reached,
        });
      }
      addTo(running, accountId, 1);
      return () => addTo(running, accountId, -1);
    },
  };
}

export const KEY_CHANGES_PER_MINUTE = 600;

/** Throws `rate_limited`. Delegating keys count apart: whatever they do, a managing key can still delete them. */
export type CountKeyChange = (accountId: string, isDelegated: boolean) => void;

/** Each change makes every node read the keys of all accounts anew, and a deleted key keeps its row. */
export function createKeyChangeCounter(clock: Clock): CountKeyChange {
  const counter = createCounter({ clock });
  return (accountId, isDelegated) => {
    const subject = isDelegated ? `delegated:${accountId}` : accountId;
    if (counter.take(subject, KEY_CHANGES_PER_MINUTE)) return;
    const by = isDelegated ? 'Delegating keys of this account have' : 'This account has';
    throw fault('rate_limited', {
      message: `${by} changed keys ${KEY_CHANGES_PER_MINUTE} times in the last minute, which is the most. Retry in ${WAIT}.`,
      ...counter.reached(subject, KEY_CHANGES_PER_MINUTE),
    });
  };
}

export type AddressGuards = ReturnType<typeof createAddressGuards>;

/** How often an address may send bad keys, and try to register. A valid key always passes, whatever else comes from there. */
export function createAddressGuards(clock: Clock) {
  const badKeys = createCounter({ clock });
  const attempts = createCounter({ clock });
  return {
    /** Throws `auth_rate_limited` once there are too many bad keys. */
    countBadKey(address: string, most: number): void {
      if (badKeys.take(address, most)) return;
      throw fault('auth_rate_limited', badKeys.reached(address, most));
    },
    /** Throws `rate_limited`. */
    countRegisterAttempt(address: string, most: number | null): void {
      if (most === null || attempts.take(address, most)) return;
      throw fault('rate_limited', {
        message: `Too many registration requests came from this address. Retry in ${WAIT}.`,
        ...attempts.reached(address, most),
      });
    },
  };
}
