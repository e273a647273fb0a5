// A queue of calls that wait for money which other calls of the same account, or of the same key with a budget, hold.
// Every `TURN_MS` one of them tries again; an admitted call passes its turn on, because there may be money for the
// next, too.

import { type Clock, sleep } from '../kit/clock.ts';

export type Turns = ReturnType<typeof createTurns>;

export const TURN_MS = 50;

interface Queue {
  waiting: Set<AbortController>;
  /** Cancels the next turn. */
  cancel(): void;
}

export function createTurns(clock: Clock) {
  const queues = new Map<string, Queue>();

  function open(queueId: string): Queue {
    const queue = { waiting: new Set<AbortController>(), cancel: clock.after(TURN_MS, () => next(queueId)) };
    queues.set(queueId, queue);
    return queue;
  }

  /** A queue outlives its last call by one turn, so that a call that fails and queues again keeps the pace. */
  function next(queueId: string): void {
    const queue = queues.get(queueId);
    const [first] = queue?.waiting ?? [];
    if (!queue || !first) {
      queues.delete(queueId);
      return;
    }
    queue.waiting.delete(first);
    queue.cancel = clock.after(TURN_MS, () => next(queueId));
    first.abort();
  }

  return {
    /** Resolves at the call's turn or after `maxMs`. Rejects when `gone` aborts. */
    async wait(queueId: string, maxMs: number, gone: AbortSignal): Promise<void> {
      const { waiting } = queues.get(queueId) ?? open(queueId);
      const turn = new AbortController();
      waiting.add(turn);
      try {
        await sleep(clock, maxMs, AbortSignal.any([gone, turn.signal]));
      } catch (reason) {
        if (gone.aborted) throw reason;
      } finally {
        waiting.delete(turn);
      }
    },
    /** One of the queued calls was admitted. */
    passOn(queueId: string): void {
      const queue = queues.get(queueId);
      if (!queue || queue.waiting.size === 0) return;
      queue.cancel();
      next(queueId);
    },
  };
}
