// The gateway's clock in the failover bench. It stands still while anything can happen without it, so that a measured time
// is the time that the gateway itself chose to wait, and never that of the machine.

import type { Clock } from '../../src/kit/clock.ts';
import { runTask, type Task } from '../../src/kit/timer-lists.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';

export interface BenchClock extends ManualClock {
  /** Until the next timer of a call is due; timers of the gateway's own jobs do not count. */
  untilNextMs(): number | undefined;
  /** Timers of calls that are set for exactly one of these times. */
  countPending(lengthsMs: readonly number[]): number;
  /** Timers that are set from now on belong to calls, or to jobs of the gateway. */
  setBy(owner: 'calls' | 'jobs'): void;
}

interface CallTimer {
  due: number;
  lengthMs: number;
}

export function createBenchClock(): BenchClock {
  const inner = createManualClock();
  // A job sets the same task again and again.
  const jobs = new Set<Task>();
  const pending = new Set<CallTimer>();
  let owner: 'calls' | 'jobs' = 'jobs';

  const after: Clock['after'] = (ms, task) => {
    if (owner === 'jobs') jobs.add(task);
    if (jobs.has(task)) return inner.after(ms, task);
    const timer = { due: inner.monotonic() + ms, lengthMs: ms };
    pending.add(timer);
    const cancel = inner.after(ms, () => {
      pending.delete(timer);
      runTask(task);
    });
    return () => {
      pending.delete(timer);
      cancel();
    };
  };

  return {
    ...inner,
    after,
    untilNextMs() {
      const next = Math.min(...Array.from(pending, ({ due }) => due));
      return Number.isFinite(next) ? Math.max(0, next - inner.monotonic()) : undefined;
    },
    countPending: (lengthsMs) => Array.from(pending).filter(({ lengthMs }) => lengthsMs.includes(lengthMs)).length,
    setBy(next) {
      owner = next;
    },
  };
}
