// A clock that stands still until the test moves it. Timers run on its monotonic time, so a stepped wall clock (an
// operator, NTP) fires nothing.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/kit/clock.ts';
import { runTask, type Task } from '../../src/kit/timer-lists.ts';

export interface ManualClock extends Clock {
  /** Moves both times on and runs what falls due, in order; whatever was set in motion gets a turn before each step. */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock only, in either direction. */
  step(ms: number): void;
  /** Timers that have not run and were not cancelled; with `inMs`, those that are due in exactly that time. */
  pending(inMs?: number): number;
}

interface Timer {
  due: number;
  task: Task;
}

const START = Date.UTC(2026, 0, 15, 4, 0, 0);

export function createManualClock(startAt = START): ManualClock {
  let wall = startAt;
  let elapsed = 0;
  let timers: Timer[] = [];

  const moveTo = (time: number) => {
    wall += time - elapsed;
    elapsed = time;
  };
  /** The earliest due timer up to `end`; among equals the one set first. */
  const takeDue = (end: number): Timer | undefined => {
    const due = timers.filter((timer) => timer.due <= end);
    const next = due.reduce<Timer | undefined>(
      (least, timer) => (least && least.due <= timer.due ? least : timer),
      undefined,
    );
    timers = timers.filter((timer) => timer !== next);
    return next;
  };

  return {
    // In whole milliseconds, as the real one; a timer may be due between two.
    now: () => Math.floor(wall),
    monotonic: () => elapsed,
    after(ms, task) {
      const timer = { due: elapsed + Math.max(0, ms), task };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const end = elapsed + ms;
      await setImmediate();
      for (let timer = takeDue(end); timer; timer = takeDue(end)) {
        moveTo(timer.due);
        runTask(timer.task);
        await setImmediate();
      }
      moveTo(end);
    },
    step(ms) {
      wall += ms;
    },
    pending: (inMs) => timers.filter(({ due }) => inMs === undefined || due === elapsed + inMs).length,
  };
}
