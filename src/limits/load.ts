// How much this process has taken on: requests under way and the bytes of their bodies, of what is fetched for them and of
// large answers, as they come. Beyond the bound it refuses at once, so that what it has admitted keeps its pace. Free calls
// make room first, and no account fills the house.

import { fault } from '../faults/fault.ts';
import { type AnswerRoom, createAnswerRooms } from './answer-room.ts';

/** What one request takes up. */
export interface Room {
  /** So much more of its body has come, or of what its body names. Throws `unavailable` when there is no room for it. */
  grow(bytes: number): void;
  /** For an answer, which may outlast the rest of it. */
  openAnswer(isFree: boolean): AnswerRoom;
  /** Gives the room back; a second time does nothing. */
  leave(): void;
}

export interface Load {
  /** Throws `unavailable` when there is no room. */
  enter(accountId: string): Room;
  /** Throws `unavailable` when the room that is left is kept for those who pay. */
  checkFree(): void;
  readonly requests: number;
}

export interface LoadLimits {
  requests: number;
  bodyBytes: number;
}

/** Free calls are refused when this much of the room is taken. */
const FREE_SHARE = 0.8;
/** One account's requests and bodies never take more than this share, once they are more than a few. */
const ACCOUNT_SHARE = 0.25;
const A_FEW: LoadLimits = { requests: 64, bodyBytes: 64 * 1024 * 1024 };
const RETRY_AFTER_S = 2;

interface Taken {
  requests: number;
  bytes: number;
}

export function createLoad(limits: () => LoadLimits): Load {
  const all: Taken = { requests: 0, bytes: 0 };
  const byAccount = new Map<string, Taken>();
  const answers = createAnswerRooms(all, () => limits().bodyBytes);
  const refuse = (): never => {
    throw fault('unavailable', { internal: 'too many requests under way', retryAfterS: RETRY_AFTER_S });
  };
  const share = (most: LoadLimits, name: keyof LoadLimits) => Math.max(A_FEW[name], most[name] * ACCOUNT_SHARE);

  return {
    enter(accountId) {
      const most = limits();
      const own = byAccount.get(accountId) ?? { requests: 0, bytes: 0 };
      if (all.requests >= most.requests || own.requests >= share(most, 'requests')) refuse();
      byAccount.set(accountId, own);
      all.requests++;
      own.requests++;
      let taken = 0;
      let isIn = true;
      return {
        grow(bytes) {
          if (!isIn) return;
          const limit = limits();
          if (all.bytes + bytes > limit.bodyBytes || own.bytes + bytes > share(limit, 'bodyBytes')) refuse();
          all.bytes += bytes;
          own.bytes += bytes;
          taken += bytes;
        },
        openAnswer: (isFree) => answers.open(accountId, isFree ? FREE_SHARE : 1),
        leave() {
          if (!isIn) return;
          isIn = false;
          all.requests--;
          all.bytes -= taken;
          own.bytes -= taken;
          if (--own.requests === 0) byAccount.delete(accountId);
        },
      };
    },
    checkFree() {
      const most = limits();
      // The one that asks is among them; alone it is never too many.
      if (all.requests === 1) return;
      if (all.requests > most.requests * FREE_SHARE || all.bytes > most.bodyBytes * FREE_SHARE) refuse();
    },
    get requests() {
      return all.requests;
    },
  };
}
