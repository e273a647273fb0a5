// What still runs when a drain ends is told so once: every listener that was not forgotten before.

import { expect, test } from 'bun:test';
import { createDrainDeadline, type DrainListener } from '../../src/relay/drain-deadline.ts';
import { Watch } from '../../src/relay/watch.ts';
import { eventually } from '../support/eventually.ts';
import { createManualClock } from '../support/manual-clock.ts';

function createListeners(count: number) {
  const draining = new AbortController();
  const drainDeadline = createDrainDeadline(draining.signal);
  const told: number[] = [];
  const listeners = Array.from(
    { length: count },
    (_, number): DrainListener => ({ drainIndex: -1, onDrainDeadline: () => void told.push(number) }),
  );
  for (const listener of listeners) drainDeadline.listen(listener);
  const forget = (...numbers: number[]) => {
    for (const number of numbers)
      for (const listener of listeners.slice(number, number + 1)) drainDeadline.forget(listener);
  };
  return { drainDeadline, forget, end: () => draining.abort(), told: () => told.toSorted((a, b) => a - b) };
}

test.each([
  ['the first', [0], [1, 2, 3, 4]],
  ['the last', [4], [0, 1, 2, 3]],
  ['one and what took its place', [1, 4], [0, 2, 3]],
  ['one twice', [1, 1], [0, 2, 3, 4]],
  ['all', [2, 0, 4, 1, 3], []],
])('listeners that were not forgotten are called: %s', (_, forgotten, left) => {
  const { forget, end, told } = createListeners(5);
  forget(...forgotten);
  end();
  expect(told()).toEqual(left);
});

test('one that fails, or forgets others, keeps the news from none of them', () => {
  const { drainDeadline, forget, end, told } = createListeners(3);
  const failing: DrainListener = {
    drainIndex: -1,
    onDrainDeadline() {
      forget(0, 1, 2);
      throw new TypeError('a slip');
    },
  };
  drainDeadline.listen(failing);
  end();
  expect(told()).toEqual([0, 1, 2]);
});

test('one that is forgotten after the end takes no other with it', () => {
  const { drainDeadline, forget, end, told } = createListeners(1);
  end();
  const later: DrainListener = { drainIndex: -1, onDrainDeadline() {} };
  drainDeadline.listen(later);
  forget(0);
  expect({ told: told(), place: later.drainIndex }).toEqual({ told: [0], place: 0 });
});

/** The runtime may keep an ended watch for seconds: it holds two abort signals. */
test('a watch that has ended keeps no call in memory', async () => {
  const clock = createManualClock();
  const { signal } = new AbortController();
  const watches: Watch[] = [];
  const calls: WeakRef<object>[] = [];
  for (let count = 0; count < 100; count++) {
    const call = { onLate: () => void count };
    const watch = new Watch({ clock, drainDeadline: createDrainDeadline(signal) }, signal);
    watch.limitSilence({ lateMs: 1_000, mostMs: 2_000 }, call);
    watch.end();
    watches.push(watch);
    calls.push(new WeakRef(call));
  }
  await eventually('most calls to be gone', () => {
    Bun.gc(true);
    return calls.filter((call) => call.deref()).length < 10;
  });
  expect(watches).toHaveLength(100);
});
