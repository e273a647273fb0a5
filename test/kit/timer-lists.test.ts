import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { createTimerLists } from '../../src/kit/timer-lists.ts';
import { eventually } from '../support/eventually.ts';
import { createManualClock } from '../support/manual-clock.ts';

/** Lists over a clock by hand, how many timers of it they have, and for how many of these a process would stay alive. */
function createLists() {
  const clock = createManualClock();
  const timers = new Set<object>();
  const alive = new Set<object>();
  const after = createTimerLists({
    monotonic: clock.monotonic,
    set(ms, task) {
      const end = () => {
        timers.delete(timer);
        alive.delete(timer);
      };
      const cancel = clock.after(ms, () => {
        end();
        task();
      });
      const timer = {
        ref: () => void alive.add(timer),
        unref: () => void alive.delete(timer),
        close() {
          end();
          cancel();
        },
      };
      timers.add(timer);
      alive.add(timer);
      return timer;
    },
  });
  return { clock, after, timers: () => timers.size, alive: () => alive.size };
}

describe('timers of one length', () => {
  test('a listener is called at its time, unless it is cancelled', async () => {
    const { clock, after } = createLists();
    const told: string[] = [];
    const listener = (name: string) => ({ onTime: () => told.push(name) });
    after(100, listener('a'));
    after(100, listener('b'))();
    await clock.advance(100);
    expect(told).toEqual(['a']);
  });

  test('each runs once, when it is due', async () => {
    const { clock, after, timers } = createLists();
    const ran: string[] = [];
    after(100, () => ran.push('a'));
    await clock.advance(40);
    after(100, () => ran.push('b'));
    expect(timers()).toBe(1);
    await clock.advance(59);
    expect(ran).toEqual([]);
    await clock.advance(1);
    expect(ran).toEqual(['a']);
    await clock.advance(39);
    expect(ran).toEqual(['a']);
    await clock.advance(1);
    expect(ran).toEqual(['a', 'b']);
    expect(timers()).toBe(0);
  });

  test('what was taken back does not run, wherever it stood', async () => {
    const { clock, after, timers } = createLists();
    const ran: number[] = [];
    const cancels = [0, 1, 2, 3, 4].map((one) => after(50, () => ran.push(one)));
    for (const one of [0, 2, 4]) cancels[one]?.();
    cancels[2]?.();
    await clock.advance(50);
    expect(ran).toEqual([1, 3]);
    for (const cancel of cancels) cancel();
    expect(timers()).toBe(0);
  });

  test('no process stays alive when the last one was taken back, and in the end no timer is left', async () => {
    const { clock, after, timers, alive } = createLists();
    const cancels = [after(50, () => {}), after(50, () => {})];
    expect(alive()).toBe(1);
    for (const cancel of cancels) cancel();
    expect(alive()).toBe(0);
    await clock.advance(50);
    expect(timers()).toBe(0);
  });

  test('of many lengths that were taken back only a few have their timer still', () => {
    const { after, timers, alive } = createLists();
    for (let ms = 1; ms <= 1_000; ms++) after(ms, () => {})();
    expect(timers()).toBeLessThanOrEqual(64);
    expect(alive()).toBe(0);
  });

  test('one that comes when all others were taken back runs when it is due, by the timer that is there', async () => {
    const { clock, after, timers, alive } = createLists();
    const ran: string[] = [];
    for (const cancel of [after(50, () => ran.push('a')), after(50, () => ran.push('b'))]) cancel();
    await clock.advance(30);
    after(50, () => ran.push('c'));
    expect({ timers: timers(), alive: alive() }).toEqual({ timers: 1, alive: 1 });
    await clock.advance(49);
    expect({ ran, timers: timers(), alive: alive() }).toEqual({ ran: [], timers: 1, alive: 1 });
    await clock.advance(1);
    expect({ ran, timers: timers() }).toEqual({ ran: ['c'], timers: 0 });
  });

  test('one that throws keeps none of the others from running', async () => {
    const { clock, after } = createLists();
    const ran: string[] = [];
    after(10, () => {
      throw new Error('on purpose');
    });
    after(10, () => ran.push('b'));
    await clock.advance(10).catch(() => {});
    await clock.advance(1);
    expect(ran).toEqual(['b']);
  });

  test('a task may set and take back others', async () => {
    const { clock, after } = createLists();
    const ran: string[] = [];
    after(10, () => {
      ran.push('a');
      cancel();
      after(10, () => ran.push('c'));
    });
    const cancel = after(10, () => ran.push('b'));
    await clock.advance(10);
    expect(ran).toEqual(['a']);
    await clock.advance(10);
    expect(ran).toEqual(['a', 'c']);
  });

  test('one that a task sets does not delay those that were there before', async () => {
    const { clock, after, timers } = createLists();
    const ran: string[] = [];
    after(100, () => {
      ran.push('a');
      after(100, () => ran.push('c'));
    });
    await clock.advance(10);
    after(100, () => ran.push('b'));
    await clock.advance(90);
    expect({ ran, timers: timers() }).toEqual({ ran: ['a'], timers: 1 });
    await clock.advance(10);
    expect(ran).toEqual(['a', 'b']);
    await clock.advance(90);
    expect({ ran, timers: timers() }).toEqual({ ran: ['a', 'b', 'c'], timers: 0 });
  });

  test('a function that cancels a timer keeps nothing else alive', async () => {
    const { after } = createLists();
    const cancelFirst = after(1_000, () => {});
    const tasks: WeakRef<() => void>[] = [];
    let cancelLast = cancelFirst;
    for (let count = 0; count < 100; count++) {
      const task = () => void count;
      tasks.push(new WeakRef(task));
      const cancel = after(1_000, task);
      cancelLast();
      cancelLast = cancel;
    }
    await eventually('most to be gone', () => {
      Bun.gc(true);
      return tasks.filter((task) => task.deref()).length < 10;
    });
    cancelFirst();
    cancelLast();
  });

  test('one that is longer than any timer of the runtime does not run early', async () => {
    const { clock, after, timers } = createLists();
    const ran: string[] = [];
    after(2 ** 31 + 50, () => ran.push('late'));
    await clock.advance(2 ** 31 - 1);
    expect({ ran, timers: timers() }).toEqual({ ran: [], timers: 1 });
    await clock.advance(51);
    expect(ran).toEqual(['late']);
  });

  test('lengths do not wait for each other', async () => {
    const { clock, after } = createLists();
    const ran: number[] = [];
    for (const ms of [30, 10, 20]) after(ms, () => ran.push(ms));
    await clock.advance(30);
    expect(ran).toEqual([10, 20, 30]);
  });
});

test('the system clock runs what is due, in order and not before', async () => {
  const from = performance.now();
  const ran: number[] = [];
  await new Promise<void>((resolve) => {
    systemClock.after(5, () => ran.push(performance.now() - from));
    systemClock.after(5, () => ran.push(performance.now() - from));
    systemClock.after(20, resolve);
  });
  expect(ran).toHaveLength(2);
  for (const at of ran) expect(at).toBeGreaterThanOrEqual(5);
});
