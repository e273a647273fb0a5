// Guards before the store: how often an address may send bad keys, and how often it may try to register. Both count in
// memory. A valid key always passes, whatever else comes from its address.

import { fault } from '../faults/fault.ts';
import { WAIT } from '../faults/table.ts';
import { type Clock, MINUTE_MS } from '../kit/clock.ts';
import { createCounter } from '../limits/counter.ts';

export interface AddressGuards {
  /** Throws `auth_rate_limited` once there are too many bad keys. */
  countBadKey(address: string, most: number): void;
  /** Throws `rate_limited`. */
  countRegisterAttempt(address: string, most: number | null): void;
}

const MAX_ADDRESSES = 50_000;

export function createAddressGuards(clock: Clock): AddressGuards {
  const badKeys = createCounter({ clock, spanMs: MINUTE_MS, maxSubjects: MAX_ADDRESSES });
  const attempts = createCounter({ clock, spanMs: MINUTE_MS, maxSubjects: MAX_ADDRESSES });
  return {
    countBadKey(address, most) {
      if (badKeys.take(address, most)) return;
      throw fault('auth_rate_limited', badKeys.reached(address, most));
    },
    countRegisterAttempt(address, most) {
      if (most === null || attempts.take(address, most)) return;
      throw fault('rate_limited', {
        message: `Too many registration requests came from this address. Retry in ${WAIT}.`,
        ...attempts.reached(address, most),
      });
    },
  };
}
