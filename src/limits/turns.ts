// Calls of one account that wait for money which others of it hold. They ask for it in turn, one every so often, however
// many there are; whoever is admitted hands its turn on, because there may be money for the next one, too.

import { type Clock, sleep } from '../kit/clock.ts';

export interface Turns {
  /** Until it is this one's turn, or its time is over. Rejects when it is gone. */
  wait(accountId: string, mostMs: number, gone: AbortSignal): Promise<void>;
  /** A call of the account was admitted. */
  handOn(accountId: string): void;
}

export const TURN_MS = 50;

interface Queue {
  waiting: Set<AbortController>;
  /** Of the next turn. */
  cancel(): void;
}

export function createTurns(clock: Clock): Turns {
  const queues = new Map<string, Queue>();

  function open(accountId: string): Queue {
    const queue = { waiting: new Set<AbortController>(), cancel: clock.after(TURN_MS, () => next(accountId)) };
    queues.set(accountId, queue);
    return queue;
  }

  /** A queue outlives its last call by one turn, so that who asks in vain and waits again keeps the pace. */
  function next(accountId: string): void {
    const queue = queues.get(accountId);
    const [first] = queue?.waiting ?? [];
    if (!queue || !first) {
      queues.delete(accountId);
      return;
    }
    queue.waiting.delete(first);
    queue.cancel = clock.after(TURN_MS, () => next(accountId));
    first.abort();
  }

  return {
    async wait(accountId, mostMs, gone) {
      const { waiting } = queues.get(accountId) ?? open(accountId);
      const turn = new AbortController();
      waiting.add(turn);
      try {
        await sleep(clock, mostMs, AbortSignal.any([gone, turn.signal]));
      } catch (reason) {
        if (gone.aborted) throw reason;
      } finally {
        waiting.delete(turn);
      }
    },
    handOn(accountId) {
      const queue = queues.get(accountId);
      if (!queue || queue.waiting.size === 0) return;
      queue.cancel();
      next(accountId);
    },
  };
}
