// Time is injected, so that a whole gateway can run on a test's clock.

import { createTimerLists, type Task } from './timer-lists.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /** Monotonic milliseconds, for durations. */
  monotonic(): number;
  /** Runs `task` once after `ms`; the result cancels it. */
  after(ms: number, task: Task): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: createTimerLists({
    monotonic: () => performance.now(),
    set: (ms, task) => setTimeout(task, ms),
  }),
};

export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Runs `task` `ms` after its last end, never concurrently; the result stops it. `isFromStart`: measured from its last
 * start.
 */
export function every(
  clock: Clock,
  ms: number,
  task: () => Promise<void>,
  { isFromStart = false }: { isFromStart?: boolean } = {},
): () => void {
  let stopped = false;
  let cancel = () => {};
  const run = () => {
    const startedAt = clock.monotonic();
    const waitAgain = () => wait(isFromStart ? Math.max(0, ms - (clock.monotonic() - startedAt)) : ms);
    task().then(waitAgain, waitAgain);
  };
  const wait = (left: number) => {
    if (!stopped) cancel = clock.after(left, run);
  };
  wait(ms);
  return () => {
    stopped = true;
    cancel();
  };
}
