// The real clock, which a test can move on: time jumps for whoever reads it, timers run as ever.

import { type Clock, systemClock } from '../../src/kit/clock.ts';

export interface ShiftedClock extends Clock {
  skip(ms: number): void;
}

export function createShiftedClock(): ShiftedClock {
  let offset = 0;
  return {
    now: () => systemClock.now() + offset,
    monotonic: () => systemClock.monotonic() + offset,
    after: systemClock.after,
    skip(ms) {
      offset += ms;
    },
  };
}
