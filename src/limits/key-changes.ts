// Bounds how often the keys of an account change: each change makes every node read the keys of all accounts anew, and a
// deleted key keeps its row. Counted in the memory of this process.

import { fault } from '../faults/fault.ts';
import { WAIT } from '../faults/table.ts';
import { type Clock, MINUTE_MS } from '../kit/clock.ts';
import { createCounter } from './counter.ts';

export const KEY_CHANGES_PER_MINUTE = 600;
const MAX_SUBJECTS = 50_000;

/** Throws `rate_limited`. Delegating keys count apart: whatever they do, a managing key can still delete them. */
export type CountKeyChange = (accountId: string, isDelegated: boolean) => void;

export function createKeyChangeCounter(clock: Clock): CountKeyChange {
  const counter = createCounter({ clock, spanMs: MINUTE_MS, maxSubjects: MAX_SUBJECTS });
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
