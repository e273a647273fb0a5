// What large bodies cost this process where no limit of the books bounds it: the work for calls that got no answer, and for
// those that the gateway answers itself. Both are bounded, by account and by address, in memory. The heaviest bodies of one
// account are worked on one after the other, so that each knows what became of those before it. Small bodies cost too little
// to be counted.

import { type Fault, fault } from '../faults/fault.ts';
import type { Clock } from '../kit/clock.ts';
import type { Spans } from '../kit/json/spans.ts';

/** A smaller body is read in well under a millisecond, whatever is in it. */
export const SMALL_BODY_BYTES = 16 * 1024;

const SPAN_MS = 10_000;
/** About half a second of a processor's time. */
const VAIN_UNITS = 400;
/** Clients count the tokens of a long conversation before every turn, and nothing is translated for it. */
const ANSWERED_UNITS = 1_200;
/** Binds only accounts that have such work themselves, so that nobody is refused for a neighbour's. */
const ACCOUNTS_PER_ADDRESS = 4;
const BYTES_PER_UNIT = 1024 * 1024;
const VALUES_PER_UNIT = 1_000;
/** Turns and tools are looked at many times where they are translated. */
const ITEMS_PER_UNIT = 100;
const MOST_SUBJECTS = 50_000;
/** A lighter body need not wait for others: all that an account may have in flight are within its budget. */
export const TURN_UNITS = 10;

/** Work for a call that is counted as done in vain until the call says otherwise. */
export interface CallWork {
  /** The call is admitted, or waits for a slot or for money: from here on it counts only if it fails. */
  stopCounting(): void;
}

export const UNCOUNTED_WORK: CallWork = { stopCounting() {} };

export interface Caller {
  accountId: string;
  address: string;
}

export interface LargeWork {
  /** For calls that get no answer. */
  inVain: WorkBudget;
  /** For calls that the gateway answers without asking a model: token counts, and requests that only warm a cache. */
  answeredHere: WorkBudget;
  /** Resolves, when the account's heavy bodies before it are admitted or refused, with the function that ends its turn. */
  turn(accountId: string): Promise<() => void>;
}

export interface WorkBudget {
  /** Throws `rate_limited` if too much of this work was done for the caller lately. */
  check(caller: Caller): void;
  /** Counts work; the function takes that back. */
  charge(caller: Caller, units: number): () => void;
}

export function unitsOf(bytes: number, { values, items }: Pick<Spans, 'values' | 'items'>): number {
  return Math.floor(bytes / BYTES_PER_UNIT + values / VALUES_PER_UNIT + items / ITEMS_PER_UNIT);
}

export function createLargeWork(clock: Clock): LargeWork {
  const turns = new Map<string, Promise<void>>();
  return {
    inVain: createBudget(clock, VAIN_UNITS, {
      cause: 'Too many requests with large bodies were refused or abandoned',
      remedy: 'Correct them, and retry',
    }),
    answeredHere: createBudget(clock, ANSWERED_UNITS, {
      cause: 'Too many tokens were counted, or caches warmed, for large bodies',
      remedy: 'Retry',
    }),
    async turn(accountId) {
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

interface BudgetText {
  cause: string;
  remedy: string;
}

function createBudget(clock: Clock, accountUnits: number, text: BudgetText): WorkBudget {
  const accounts = new RecentWork(clock);
  const addresses = new RecentWork(clock);
  const addressUnits = ACCOUNTS_PER_ADDRESS * accountUnits;

  function overBudget(work: RecentWork, subject: string, limit: number): Fault {
    const retryAfterS = work.waitS(subject, limit);
    return fault('rate_limited', {
      message: `${text.cause} in the last 10 s. ${text.remedy} in ${Math.ceil(retryAfterS)} s.`,
      figures: {
        limit,
        used: work.used(subject),
        resets_at: new Date(clock.now() + retryAfterS * 1000).toISOString(),
      },
      retryAfterS,
    });
  }

  return {
    check({ accountId, address }) {
      const used = accounts.used(accountId);
      if (used >= accountUnits) throw overBudget(accounts, accountId, accountUnits);
      if (used > 0 && addresses.used(address) >= addressUnits) throw overBudget(addresses, address, addressUnits);
    },
    charge({ accountId, address }, units) {
      if (units === 0) return () => {};
      const own = accounts.add(accountId, units);
      const shared = addresses.add(address, units);
      return () => {
        own.units = 0;
        shared.units = 0;
      };
    },
  };
}

interface Work {
  at: number;
  units: number;
}

/** The work of the last ten seconds, by subject. */
class RecentWork {
  readonly #clock: Clock;
  /** The subject that came last stands last. */
  readonly #bySubject = new Map<string, Work[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(subject: string, units: number): Work {
    const work = { at: this.#clock.monotonic(), units };
    const recent = this.#recent(subject);
    recent.push(work);
    this.#bySubject.delete(subject);
    this.#bySubject.set(subject, recent);
    for (const [quiet] of this.#bySubject) {
      if (this.#bySubject.size <= MOST_SUBJECTS) break;
      this.#bySubject.delete(quiet);
    }
    return work;
  }

  used(subject: string): number {
    return this.#recent(subject).reduce((sum, { units }) => sum + units, 0);
  }

  /** Seconds until less than the limit is left in the window. */
  waitS(subject: string, limit: number): number {
    let used = this.used(subject);
    for (const { at, units } of this.#recent(subject)) {
      used -= units;
      if (used < limit) return (at + SPAN_MS - this.#clock.monotonic()) / 1000;
    }
    return 0;
  }

  /** What was taken back is forgotten, too, so a list is never longer than what counts and what runs. */
  #recent(subject: string): Work[] {
    const since = this.#clock.monotonic() - SPAN_MS;
    return (this.#bySubject.get(subject) ?? []).filter(({ at, units }) => at > since && units > 0);
  }
}
