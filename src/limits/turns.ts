// Calls of one account, or of one key with a budget, that wait for money which others of it hold. They ask for it in turn,
// one every so often, however many there are; whoever is admitted hands its turn on, because there may be money for the next
// one, too.

import { type Clock, sleep } from '../kit/clock.ts';

export interface Turns {
  /** Until it is this one's turn, or its time is over. Rejects when it is gone. */
  wait(whose: string, mostMs: number, gone: AbortSignal): Promise<void>;
  /** One of these calls was admitted. */
  handOn(whose: string): void;
}

export const TURN_MS = 50;

interface Queue {
  waiting: Set<AbortController>;
  /** Of the next turn. */
  cancel(): void;
}

export function createTurns(clock: Clock): Turns {
  const queues = new Map<string, Queue>();

  function open(whose: string): Queue {
    const queue = { waiting: new Set<AbortController>(), cancel: clock.after(TURN_MS, () => next(whose)) };
    queues.set(whose, queue);
    return queue;
  }

  /** A queue outlives its last call by one turn, so that who asks in vain and waits again keeps the pace. */
  function next(whose: string): void {
    const queue = queues.get(whose);
    const [first] = queue?.waiting ?? [];
    if (!queue || !first) {
      queues.delete(whose);
      return;
    }
    queue.waiting.delete(first);
    queue.cancel = clock.after(TURN_MS, () => next(whose));
    first.abort();
  }

  return {
    async wait(whose, mostMs, gone) {
      const { waiting } = queues.get(whose) ?? open(whose);
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
    handOn(whose) {
      const queue = queues.get(whose);
      if (!queue || queue.waiting.size === 0) return;
      queue.cancel();
      next(whose);
    },
  };
}
