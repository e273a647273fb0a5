// Bounds what this process takes on: running requests, and the bytes of their bodies, of media fetched for them and of
// large answers. Above the bound it refuses at once, so that admitted requests keep their speed. Free calls are refused
// first, and no account may take all of the capacity.

import { fault } from '../faults/fault.ts';

/** Read on every use: the values may change at run time. */
interface LoadLimits {
  readonly requests: number;
  readonly bodyBytes: number;
}

/** Free calls are refused above this share of the capacity. */
const FREE_SHARE = 0.8;
/** One account gets at most this share, or `ACCOUNT_MINIMUM` if that is more. */
const ACCOUNT_SHARE = 0.25;
const ACCOUNT_MINIMUM: LoadLimits = { requests: 64, bodyBytes: 64 * 1024 * 1024 };
/** Bodies that are only declared take no more than this share, also of what one account gets. */
const RESERVED_SHARE = 0.2;
const RETRY_AFTER_S = 2;

interface Taken {
  requests: number;
  bytes: number;
}

export class Load {
  readonly limits: LoadLimits;
  readonly all: Taken = { requests: 0, bytes: 0 };
  readonly byAccount = new Map<string, Taken>();
  readonly openAnswer: ReturnType<typeof createAnswerCapacity>;

  constructor(limits: LoadLimits) {
    this.limits = limits;
    this.openAnswer = createAnswerCapacity(this.all, () => limits.bodyBytes);
  }

  /** Throws `unavailable` when the process is full. */
  acquire(accountId: string): CapacityLease {
    const { limits, all, byAccount } = this;
    const account = byAccount.get(accountId) ?? { requests: 0, bytes: 0 };
    if (all.requests >= limits.requests || account.requests >= share(limits, 'requests')) refuse();
    byAccount.set(accountId, account);
    all.requests++;
    account.requests++;
    return new CapacityLease(this, accountId, account);
  }

  get requests(): number {
    return this.all.requests;
  }
}

/** The capacity that one request holds. */
export class CapacityLease {
  readonly #load: Load;
  readonly #accountId: string;
  /** All that the account holds. */
  readonly #account: Taken;
  #taken = 0;
  #isFree = false;
  #isHeld = true;

  constructor(load: Load, accountId: string, account: Taken) {
    this.#load = load;
    this.#accountId = accountId;
    this.#account = account;
  }

  /** More bytes of its body, or of media that the body links to, have arrived. Throws `unavailable` above the bound. */
  grow(bytes: number): void {
    if (!this.#isHeld) return;
    const { limits, all } = this.#load;
    const account = this.#account;
    if (all.bytes + bytes > limits.bodyBytes || account.bytes + bytes > share(limits, 'bodyBytes')) refuse();
    all.bytes += bytes;
    account.bytes += bytes;
    this.#taken += bytes;
    if (this.#isFree) this.#checkFree();
  }

  /** Takes bytes before they arrive; false if more than a small share of the capacity would be in use. */
  reserve(bytes: number): boolean {
    const { limits, all } = this.#load;
    const isSmall =
      all.bytes + bytes <= limits.bodyBytes * RESERVED_SHARE &&
      this.#account.bytes + bytes <= share(limits, 'bodyBytes') * RESERVED_SHARE;
    if (isSmall) this.grow(bytes);
    return isSmall;
  }

  /** Marks the call as free: throws `unavailable`, now or in `grow`, if only the share for paid calls is left. */
  becomeFree(): void {
    this.#isFree = true;
    this.#checkFree();
  }

  /** A separate lease for the answer, which may outlive this one. */
  openAnswer(): AnswerLease {
    return this.#load.openAnswer(this.#accountId, this.#isFree ? FREE_SHARE : 1);
  }

  /** Further calls do nothing. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const { all, byAccount } = this.#load;
    all.requests--;
    all.bytes -= this.#taken;
    this.#account.bytes -= this.#taken;
    if (--this.#account.requests === 0) byAccount.delete(this.#accountId);
  }

  #checkFree(): void {
    const { limits, all } = this.#load;
    // The count includes this request: a request that runs alone is never refused.
    if (all.requests === 1) return;
    if (all.requests > limits.requests * FREE_SHARE || all.bytes > limits.bodyBytes * FREE_SHARE) refuse();
  }
}

function share(limits: LoadLimits, name: keyof LoadLimits): number {
  return Math.max(ACCOUNT_MINIMUM[name], limits[name] * ACCOUNT_SHARE);
}

function refuse(): never {
  throw fault('unavailable', { internal: 'too many requests under way', retryAfterS: RETRY_AFTER_S });
}

export type AnswerLease = ReturnType<ReturnType<typeof createAnswerCapacity>>;

const MIB = 1024 * 1024;
const MAX_BYTES = 256 * MIB;
const ANSWERS_SHARE = 0.5;
/** An account's answers are read in parallel until they take this share of its maximum; small ones always are. */
const PARALLEL_SHARE = 0.25;
const SMALL_ANSWER_BYTES = 4 * MIB;

interface Account {
  leases: number;
  bytes: number;
  /** The answer that is being read. */
  turn: object | undefined;
}

/** Takes the capacity and resumes the waiting answer if there is enough. */
type Waiter = () => boolean;

/**
 * Capacity for large answers, which are buffered until the client has them: half of the total, so that bodies always have the
 * other half. An upstream bills each answer, so answers never wait for bodies; bodies are refused before they cost anything.
 * Large answers of one account are read one after the other, so that they do not wait for each other half read. While an
 * answer waits, its upstream is not read. `all` counts bodies and answers together.
 */
function createAnswerCapacity(all: { bytes: number }, mostBytes: () => number) {
  const accounts = new Map<string, Account>();
  const waiting = new Set<Waiter>();
  let answersBytes = 0;
  const answersMost = () => mostBytes() * ANSWERS_SHARE;
  const accountMost = () => Math.min(MAX_BYTES, answersMost());

  function wakeWaiting(): void {
    for (const take of waiting) if (take()) waiting.delete(take);
  }

  // `share`: the part of this capacity that the answer may use.
  return (accountId: string, share: number) => {
    const account = accounts.get(accountId) ?? { leases: 0, bytes: 0, turn: undefined };
    accounts.set(accountId, account);
    account.leases++;
    const thisAnswer = {};
    let taken = 0;
    let isHeld = true;
    let giveUp: (() => void) | undefined;

    function add(bytes: number): void {
      account.bytes += bytes;
      answersBytes += bytes;
      all.bytes += bytes;
      taken += bytes;
    }

    function take(bytes: number): boolean {
      const isScarce = account.bytes + bytes > accountMost() * PARALLEL_SHARE;
      const needsTurn = isScarce && taken + bytes > SMALL_ANSWER_BYTES;
      if (needsTurn && account.turn !== undefined && account.turn !== thisAnswer) return false;
      if (account.bytes + bytes > accountMost() || answersBytes + bytes > answersMost() * share) return false;
      if (needsTurn) account.turn = thisAnswer;
      add(bytes);
      return true;
    }

    function wait(bytes: number): Promise<void> {
      return new Promise((resolve, reject) => {
        const waiter = () => {
          const isTaken = take(bytes);
          if (isTaken) resolve();
          return isTaken;
        };
        giveUp = () => {
          waiting.delete(waiter);
          reject(fault('unavailable', { internal: 'no capacity for a large answer' }));
        };
        waiting.add(waiter);
      });
    }

    function finishReading(): void {
      if (account.turn !== thisAnswer) return;
      account.turn = undefined;
      wakeWaiting();
    }

    return {
      /** The largest answer that is accepted. */
      get maxBytes(): number {
        return Math.min(MAX_BYTES, answersMost() * share);
      },
      /** More bytes have arrived. Returns a promise if they must wait for other answers; it rejects on `release`. */
      grow: (bytes: number): Promise<void> | undefined => (!isHeld || take(bytes) ? undefined : wait(bytes)),
      /** The whole answer has arrived: the account's next one may be read. */
      finishReading,
      /** Further calls do nothing. */
      release(): void {
        if (!isHeld) return;
        isHeld = false;
        giveUp?.();
        add(-taken);
        if (account.turn === thisAnswer) account.turn = undefined;
        if (--account.leases === 0) accounts.delete(accountId);
        wakeWaiting();
      },
    };
  };
}
