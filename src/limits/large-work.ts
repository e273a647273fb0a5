// Bounds the processing of large bodies where no published limit does: for calls that get no answer, and for those that
// the gateway answers itself. Counted in memory, by account and by address. The largest bodies of one account are
// processed one after the other, so that each is checked against the work of those before it. Small bodies are not
// counted.

import { type Fault, fault } from '../faults/fault.ts';
import type { Clock } from '../kit/clock.ts';
import type { Spans } from '../kit/json/spans.ts';
import { type Counter, createCounter } from './counter.ts';

/** A smaller body is parsed in well under a millisecond, whatever it contains. */
export const SMALL_BODY_BYTES = 16 * 1024;

const SPAN_MS = 10_000;
/** About half a second of CPU time. */
const WASTED_UNITS = 400;
/** Clients count the tokens of a long conversation before every turn, and counting translates nothing. */
const ANSWERED_UNITS = 1_200;
/** Applies only to accounts with such work of their own, so that no account is refused because of a neighbour. */
const ACCOUNTS_PER_ADDRESS = 4;
const BYTES_PER_UNIT = 1024 * 1024;
const VALUES_PER_UNIT = 1_000;
/** Translation visits turns and tools many times. */
const ITEMS_PER_UNIT = 100;
/** A lighter body does not queue: all that an account may have in flight fit its budget. */
export const TURN_UNITS = 10;

/** Work for a call: counted as wasted until the call is admitted. */
export interface CallWork {
  /** The call is admitted, or queues for a slot or for money: from now on it counts only if it fails. */
  stopCounting(): void;
}

export const UNCOUNTED_WORK: CallWork = { stopCounting() {} };

export interface Caller {
  accountId: string;
  address: string;
}

export type LargeWork = ReturnType<typeof createLargeWork>;

export function unitsOf(bytes: number, { values, items }: Pick<Spans, 'values' | 'items'>): number {
  return Math.floor(bytes / BYTES_PER_UNIT + values / VALUES_PER_UNIT + items / ITEMS_PER_UNIT);
}

export function createLargeWork(clock: Clock) {
  const turns = new Map<string, Promise<void>>();
  return {
    /** For calls that get no answer. */
    wasted: createBudget(clock, WASTED_UNITS, {
      cause: 'Too many requests with large bodies were refused or abandoned',
      remedy: 'Correct them, and retry',
    }),
    /** For calls that the gateway answers without a model: token counts, quotes, and requests that only warm a cache. */
    answeredHere: createBudget(clock, ANSWERED_UNITS, {
      cause: 'Too many tokens were counted, calls quoted or caches warmed, for large bodies',
      remedy: 'Retry',
    }),
    /** Resolves when the account's earlier heavy bodies are admitted or refused. The result ends this turn. */
    async turn(accountId: string): Promise<() => void> {
      const before = turns.get(accountId);
      const { promise, resolve } = Promise.withResolvers<void>();
      turns.set(accountId, promise);
      await before;
      return () => {
        if (turns.get(accountId) === promise) turns.delete(accountId);
        resolve();
      };
    },
  };
}

function createBudget(clock: Clock, accountUnits: number, text: { cause: string; remedy: string }) {
  const accounts = createCounter({ clock, spanMs: SPAN_MS });
  const addresses = createCounter({ clock, spanMs: SPAN_MS });
  const addressUnits = ACCOUNTS_PER_ADDRESS * accountUnits;

  function overBudget(work: Counter, subject: string, limit: number): Fault {
    const reached = work.reached(subject, limit, work.used(subject));
    const message = `${text.cause} in the last 10 s. ${text.remedy} in ${Math.ceil(reached.retryAfterS)} s.`;
    return fault('rate_limited', { message, ...reached });
  }

  return {
    /** Throws `rate_limited` if too much of this work was done for the caller lately. */
    check({ accountId, address }: Caller): void {
      const used = accounts.used(accountId);
      if (used >= accountUnits) throw overBudget(accounts, accountId, accountUnits);
      if (used > 0 && addresses.used(address) >= addressUnits) throw overBudget(addresses, address, addressUnits);
    },
    /** Counts work and returns a function that undoes it. */
    charge({ accountId, address }: Caller, units: number): () => void {
      if (units === 0) return () => {};
      const undoForAccount = accounts.add(accountId, units);
      const undoForAddress = addresses.add(address, units);
      return () => {
        undoForAccount();
        undoForAddress();
      };
    },
  };
}
