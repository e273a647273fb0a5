// Room for large answers, which are kept whole until they are paid. The large ones of an account are read one after the other,
// so that none waits half read for a room that all of them together have filled. Who waits does not ask its upstream for more.

import { fault } from '../faults/fault.ts';

export interface AnswerRoom {
  /** The most that one answer may ever have. */
  readonly most: number;
  /** So much more of it has come. A promise where others have to make room before; it rejects if the room is left meanwhile. */
  grow(bytes: number): Promise<void> | undefined;
  /** All of it has come: the next one's turn. */
  isRead(): void;
  /** Gives the room back; a second time does nothing. */
  leave(): void;
}

export interface AnswerRooms {
  /** `most`: the share of all the room up to which it may go. */
  open(accountId: string, most: number): AnswerRoom;
  /** Room was given back elsewhere. */
  look(): void;
}

const MIB = 1024 * 1024;
/** Nobody's answer is larger. */
const MOST_BYTES = 256 * MIB;
/** One account's answers never take more than this share, once they are more than a few. */
const ACCOUNT_SHARE = 0.5;
const A_FEW_BYTES = 64 * MIB;
/** Up to here answers are read beside each other. */
const NOT_LARGE_BYTES = 4 * MIB;

interface Account {
  rooms: number;
  bytes: number;
  /** Whose answer is being read. */
  turn: object | undefined;
}

/** Takes its room and tells who waits for it, if it can. */
type Waiter = () => boolean;

/** `all`: what bodies and answers take together. */
export function createAnswerRooms(all: { bytes: number }, mostBytes: () => number): AnswerRooms {
  const accounts = new Map<string, Account>();
  const waiting = new Set<Waiter>();
  const share = () => Math.min(MOST_BYTES, mostBytes(), Math.max(A_FEW_BYTES, mostBytes() * ACCOUNT_SHARE));

  function look(): void {
    for (const take of waiting) if (take()) waiting.delete(take);
  }

  function open(accountId: string, most: number): AnswerRoom {
    const own = accounts.get(accountId) ?? { rooms: 0, bytes: 0, turn: undefined };
    accounts.set(accountId, own);
    own.rooms++;
    const me = {};
    let taken = 0;
    let isIn = true;
    let giveUp: (() => void) | undefined;

    function take(bytes: number): boolean {
      const isLarge = taken + bytes > NOT_LARGE_BYTES;
      if (isLarge && own.turn !== undefined && own.turn !== me) return false;
      if (own.bytes + bytes > share() || all.bytes + bytes > mostBytes() * most) return false;
      if (isLarge) own.turn = me;
      own.bytes += bytes;
      all.bytes += bytes;
      taken += bytes;
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
          reject(fault('unavailable', { internal: 'no room for a large answer' }));
        };
        waiting.add(waiter);
      });
    }

    function isRead(): void {
      if (own.turn !== me) return;
      own.turn = undefined;
      look();
    }

    return {
      get most() {
        return share();
      },
      grow: (bytes) => (!isIn || take(bytes) ? undefined : wait(bytes)),
      isRead,
      leave() {
        if (!isIn) return;
        isIn = false;
        giveUp?.();
        own.bytes -= taken;
        all.bytes -= taken;
        if (own.turn === me) own.turn = undefined;
        if (--own.rooms === 0) accounts.delete(accountId);
        look();
      },
    };
  }

  return { open, look };
}
