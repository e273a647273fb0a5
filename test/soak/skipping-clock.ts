// The real clock, on which a test can let days pass: both times jump, and timers that are due by then run at once.

import type { Clock } from '../../src/kit/clock.ts';
import { runTask, type Task } from '../../src/kit/timer-lists.ts';

export interface SkippingClock extends Clock {
  skip(ms: number): void;
  /** Timers that have neither run nor been cancelled; only those that wait at least so long. */
  pending(atLeastMs?: number): number;
}

interface Pending {
  ms: number;
  due: number;
  task: Task;
  timer?: ReturnType<typeof setTimeout>;
}

/** The runtime treats longer ones as short. */
const MAX_MS = 2 ** 31 - 1;

export function createSkippingClock(): SkippingClock {
  const waiting = new Set<Pending>();
  let offset = 0;
  const monotonic = () => performance.now() + offset;

  function cancel(one: Pending): void {
    clearTimeout(one.timer);
    waiting.delete(one);
  }
  function runOrWait(one: Pending): void {
    clearTimeout(one.timer);
    const leftMs = one.due - monotonic();
    if (leftMs > 0) {
      one.timer = setTimeout(runOrWait, Math.min(Math.ceil(leftMs), MAX_MS), one);
    } else if (waiting.delete(one)) runTask(one.task);
  }

  return {
    now: () => Date.now() + offset,
    monotonic,
    after(ms, task) {
      const one: Pending = { ms, due: monotonic() + ms, task };
      waiting.add(one);
      one.timer = setTimeout(runOrWait, Math.min(Math.max(0, ms), MAX_MS), one);
      return cancel.bind(undefined, one);
    },
    skip(ms) {
      offset += ms;
      for (const one of [...waiting].sort((a, b) => a.due - b.due)) if (waiting.has(one)) runOrWait(one);
    },
    pending: (atLeastMs = 0) => [...waiting].filter(({ ms }) => ms >= atLeastMs).length,
  };
}
