// How much this process has taken on: requests under way and the bytes of their bodies. Beyond the bound it refuses at
// once, before it reads anything, so that what it has admitted keeps its pace; free calls make room first.

import { fault } from '../faults/fault.ts';

/** What one request takes up. */
export interface Room {
  /** The body has come: it was so large, not as large as it might have been. */
  resize(bodyBytes: number): void;
  /** Gives the room back; a second time does nothing. */
  leave(): void;
}

export interface Load {
  /** Throws `unavailable` when there is no room. */
  enter(bodyBytes: number): Room;
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
const RETRY_AFTER_S = 2;

export function createLoad(limits: () => LoadLimits): Load {
  let requests = 0;
  let bytes = 0;
  const refuse = (): never => {
    throw fault('unavailable', { internal: 'too many requests under way', retryAfterS: RETRY_AFTER_S });
  };
  return {
    enter(bodyBytes) {
      const most = limits();
      if (requests >= most.requests || bytes + bodyBytes > most.bodyBytes) refuse();
      requests++;
      bytes += bodyBytes;
      let taken = bodyBytes;
      let isIn = true;
      return {
        resize(size) {
          if (!isIn) return;
          bytes += size - taken;
          taken = size;
        },
        leave() {
          if (!isIn) return;
          isIn = false;
          requests--;
          bytes -= taken;
        },
      };
    },
    checkFree() {
      // The one that asks is among them; alone it is never too many.
      if (requests > Math.max(1, limits().requests * FREE_SHARE)) refuse();
    },
    get requests() {
      return requests;
    },
  };
}
