// Capacity for large answers, which are buffered until the client has them: half of the total, so that bodies always
// have the other half. An upstream bills each answer, so answers never wait for bodies; bodies are refused before they
// cost anything. Large answers of one account are read one after the other, so that they do not wait for each other
// half read. While an answer waits, its upstream is not read.

import { fault } from '../faults/fault.ts';

export interface AnswerLease {
  /** The largest answer that is accepted. */
  readonly maxBytes: number;
  /** More bytes have arrived. Returns a promise if they must wait for other answers; it rejects on `release`. */
  grow(bytes: number): Promise<void> | undefined;
  /** The whole answer has arrived: the account's next one may be read. */
  finishReading(): void;
  /** Further calls do nothing. */
  release(): void;
}

export type AnswerCapacity = ReturnType<typeof createAnswerCapacity>;

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

/** `all` counts bodies and answers together. It is updated here and read elsewhere. */
export function createAnswerCapacity(all: { bytes: number }, mostBytes: () => number) {
  const accounts = new Map<string, Account>();
  const waiting = new Set<Waiter>();
  let answersBytes = 0;
  const answersMost = () => mostBytes() * ANSWERS_SHARE;
  const accountMost = () => Math.min(MAX_BYTES, answersMost());

  function wakeWaiting(): void {
    for (const take of waiting) if (take()) waiting.delete(take);
  }

  /** `share`: the part of this capacity that the answer may use. */
  function open(accountId: string, share: number): AnswerLease {
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
      get maxBytes() {
        return Math.min(MAX_BYTES, answersMost() * share);
      },
      grow: (bytes) => (!isHeld || take(bytes) ? undefined : wait(bytes)),
      finishReading,
      release() {
        if (!isHeld) return;
        isHeld = false;
        giveUp?.();
        add(-taken);
        if (account.turn === thisAnswer) account.turn = undefined;
        if (--account.leases === 0) accounts.delete(accountId);
        wakeWaiting();
      },
    };
  }

  return { open };
}
