import { describe, expect, test } from 'bun:test';
import { every, sleep } from '../../src/kit/clock.ts';
import { createManualClock } from '../support/manual-clock.ts';

/** What a promise has come to, without waiting for it. */
function watch(promise: Promise<unknown>): { state: 'pending' | 'resolved' | 'rejected'; reason?: unknown } {
  const watched: ReturnType<typeof watch> = { state: 'pending' };
  promise.then(
    () => {
      watched.state = 'resolved';
    },
    (reason) => {
      watched.state = 'rejected';
      watched.reason = reason;
    },
  );
  return watched;
}

describe('sleep', () => {
  test('ends after its time and not before', async () => {
    const clock = createManualClock();
    const sleeping = watch(sleep(clock, 100));
    await clock.advance(99);
    expect(sleeping.state).toBe('pending');
    await clock.advance(1);
    expect(sleeping.state).toBe('resolved');
  });

  test('does not end because the wall clock was set', async () => {
    const clock = createManualClock();
    const sleeping = watch(sleep(clock, 100));
    clock.step(3_600_000);
    await clock.advance(0);
    expect(sleeping.state).toBe('pending');
    clock.step(-7_200_000);
    await clock.advance(100);
    expect(sleeping.state).toBe('resolved');
  });

  test('an abort ends it with the reason and leaves no timer', async () => {
    const clock = createManualClock();
    const abort = new AbortController();
    const sleeping = watch(sleep(clock, 100, abort.signal));
    abort.abort('enough');
    await clock.advance(0);
    expect(sleeping).toEqual({ state: 'rejected', reason: 'enough' });
    expect(clock.pending()).toBe(0);
  });

  test('an abort that came before sets no timer at all', async () => {
    const clock = createManualClock();
    const sleeping = watch(sleep(clock, 100, AbortSignal.abort('too late')));
    await clock.advance(0);
    expect(sleeping).toEqual({ state: 'rejected', reason: 'too late' });
    expect(clock.pending()).toBe(0);
  });

  test('an abort after its end changes nothing, and no listener stays on the signal', async () => {
    const clock = createManualClock();
    const abort = new AbortController();
    const listening = new Set<unknown>();
    const { signal } = abort;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (type: string, listener: EventListener, options?: AddEventListenerOptions) => {
      listening.add(listener);
      add(type, listener, options);
    };
    signal.removeEventListener = (type: string, listener: EventListener) => {
      listening.delete(listener);
      remove(type, listener);
    };
    const sleeping = watch(sleep(clock, 100, signal));
    expect(listening.size).toBe(1);
    await clock.advance(100);
    abort.abort('late');
    await clock.advance(0);
    expect(sleeping.state).toBe('resolved');
    expect(listening.size).toBe(0);
  });
});

describe('every', () => {
  test('runs at each interval until it is stopped', async () => {
    const clock = createManualClock();
    const ranAt: number[] = [];
    const stop = every(clock, 100, async () => void ranAt.push(clock.monotonic()));
    await clock.advance(350);
    expect(ranAt).toEqual([100, 200, 300]);
    stop();
    await clock.advance(1_000);
    expect(ranAt).toHaveLength(3);
    expect(clock.pending()).toBe(0);
  });

  test('never runs twice at once, however long one run takes', async () => {
    const clock = createManualClock();
    const ends: (() => void)[] = [];
    let running = 0;
    let most = 0;
    every(clock, 100, async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
    });
    await clock.advance(1_000);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await clock.advance(99);
    expect(ends).toHaveLength(1);
    await clock.advance(1);
    expect(ends).toHaveLength(2);
    expect(most).toBe(1);
  });

  test('from the start of one run to that of the next, if that is asked for', async () => {
    const clock = createManualClock();
    const ranAt: number[] = [];
    let takesMs = 30;
    const stop = every(
      clock,
      100,
      async () => {
        ranAt.push(clock.monotonic());
        await sleep(clock, takesMs);
      },
      { isFromStart: true },
    );
    await clock.advance(250);
    takesMs = 150;
    await clock.advance(350);
    expect(ranAt).toEqual([100, 200, 300, 450, 600]);
    stop();
  });

  test('goes on after a run that failed', async () => {
    const clock = createManualClock();
    let runs = 0;
    every(clock, 100, async () => {
      runs++;
      throw new Error('this run failed');
    });
    await clock.advance(300);
    expect(runs).toBe(3);
  });

  test('stopped during a run, it does not run again', async () => {
    const clock = createManualClock();
    let runs = 0;
    let end = () => {};
    const stop = every(clock, 100, () => {
      runs++;
      return new Promise((resolve) => {
        end = resolve;
      });
    });
    await clock.advance(100);
    stop();
    end();
    await clock.advance(1_000);
    expect(runs).toBe(1);
    expect(clock.pending()).toBe(0);
  });
});

describe('the manual clock', () => {
  test('runs timers by due time, equals in the order they were set, and those set meanwhile', async () => {
    const clock = createManualClock(1_000);
    const ran: string[] = [];
    const note = (name: string) => () => void ran.push(`${name} at ${clock.now()}`);
    clock.after(30, note('c'));
    clock.after(10, note('a'));
    clock.after(10, note('b'));
    clock.after(20, () => clock.after(5, note('nested')));
    const cancel = clock.after(15, note('cancelled'));
    cancel();
    await clock.advance(30);
    expect(ran).toEqual(['a at 1010', 'b at 1010', 'nested at 1025', 'c at 1030']);
    expect(clock.now()).toBe(1_030);
    expect(clock.monotonic()).toBe(30);
  });
});
