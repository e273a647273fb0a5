// A clock that tells when the gateway begins to read a stream on whose client has left: nobody outside can see it, because
// nothing else happens then but that a timer is set.

import type { Clock } from '../../src/kit/clock.ts';
import type { Task } from '../../src/kit/timer-lists.ts';

/** The longest that a stream is read on. */
export const READ_TO_END_MS = 30_000;

export interface ReadOnClock<Inner extends Clock> {
  clock: Inner;
  /** How often such a timer was set. A body that is waited for has one of the same length: compare with a number from after it. */
  timers(): number;
}

export function createReadOnClock<Inner extends Clock>(inner: Inner): ReadOnClock<Inner> {
  let timers = 0;
  const clock = {
    ...inner,
    after(ms: number, task: Task) {
      if (ms === READ_TO_END_MS) timers++;
      return inner.after(ms, task);
    },
  };
  return { clock, timers: () => timers };
}
