// The real clock, which a test can move on: time jumps for whoever reads it, timers run as ever.

import { type Clock, systemClock } from '../../src/kit/clock.ts';

export interface ShiftedClock extends Clock {
  skip(ms: number): void;
}

/** One that `standsStill` moves only when it is told to, so that no delay of the machine counts as time. */
export function createShiftedClock({ standsStill = false } = {}): ShiftedClock {
  let offset = 0;
  const [now, elapsed] = [systemClock.now(), systemClock.monotonic()];
  return {
    now: () => (standsStill ? now : systemClock.now()) + offset,
    monotonic: () => (standsStill ? elapsed : systemClock.monotonic()) + offset,
    after: systemClock.after,
    skip(ms) {
      offset += ms;
    },
  };
}
