// Room for large answers, which are kept whole until the client has them: half of all the room, so that bodies always have the
// rest. An upstream asks for the price of an answer, so none of them waits for bodies, which are refused before they cost
// anything. Where those of one account become many, they are read one after the other, so that none waits half read for a
// room that all of them together have filled. Who waits does not ask its upstream for more.

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
  /** `most`: the share of the answers' room up to which it may go. */
  open(accountId: string, most: number): AnswerRoom;
}

const MIB = 1024 * 1024;
/** Nobody's answer is larger. */
const MOST_BYTES = 256 * MIB;
const ANSWERS_SHARE = 0.5;
/** Answers of one account are read beside each other until they have this share of what one may have; smaller ones always. */
const SIDE_BY_SIDE_SHARE = 0.25;
const NOT_LARGE_BYTES = 4 * MIB;

interface Account {
  rooms: number;
  bytes: number;
  /** Whose answer is being read. */
  turn: object | undefined;
}

/** Takes its room and tells who waits for it, if it can. */
type Waiter = () => boolean;

/** `all`: what bodies and answers take together, which is only told. */
export function createAnswerRooms(all: { bytes: number }, mostBytes: () => number): AnswerRooms {
  const accounts = new Map<string, Account>();
  const waiting = new Set<Waiter>();
  let answersBytes = 0;
  const answersMost = () => mostBytes() * ANSWERS_SHARE;
  const accountMost = () => Math.min(MOST_BYTES, answersMost());

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

    function add(bytes: number): void {
      own.bytes += bytes;
      answersBytes += bytes;
      all.bytes += bytes;
      taken += bytes;
    }

    function take(bytes: number): boolean {
      const isShort = own.bytes + bytes > accountMost() * SIDE_BY_SIDE_SHARE;
      const needsTurn = isShort && taken + bytes > NOT_LARGE_BYTES;
      if (needsTurn && own.turn !== undefined && own.turn !== me) return false;
      if (own.bytes + bytes > accountMost() || answersBytes + bytes > answersMost() * most) return false;
      if (needsTurn) own.turn = me;
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
        return Math.min(MOST_BYTES, answersMost() * most);
      },
      grow: (bytes) => (!isIn || take(bytes) ? undefined : wait(bytes)),
      isRead,
      leave() {
        if (!isIn) return;
        isIn = false;
        giveUp?.();
        add(-taken);
        if (own.turn === me) own.turn = undefined;
        if (--own.rooms === 0) accounts.delete(accountId);
        look();
      },
    };
  }

  return { open };
}
