// A window's slots are read back as they were written, also those that were written as pairs.

import { expect, test } from 'bun:test';
import { MINUTE_MS } from '../../src/kit/clock.ts';
import { EMPTY_WINDOW, takeRolling } from '../../src/store/book/windows.ts';
import { slotsToText, textToSlots } from '../../src/store/slots-text.ts';

const T = 1_768_500_000_000;

test.each([
  ['none', []],
  ['one', [[T + 1, 1]]],
  [
    'whole seconds',
    [
      [T, 3],
      [T + 1_000, 1],
      [T + 61_000, 9_007_199_254_740_991],
    ],
  ],
  [
    'any times',
    [
      [T + 1, 3],
      [T + 999, 1],
      [T + 2_000, 2],
    ],
  ],
  [
    'from the beginning of time',
    [
      [0, 1],
      [1_000, 2],
    ],
  ],
] as [string, [number, number][]][])('%s', (_, slots) => {
  expect(textToSlots(slotsToText(slots))).toEqual(slots);
  expect(textToSlots(JSON.stringify(slots))).toEqual(slots);
});

test('a busy minute of whole seconds is short', () => {
  const slots = Array.from({ length: 125 }, (_, second) => [T + second * 1_000, 12] as const);
  expect(slotsToText(slots).length).toBeLessThan(700);
});

/** Milliseconds between admissions; a clock that steps back counts an older slot. */
test.each([
  ['many in a second', [90, 130, 210]],
  ['one in a second', [1_000]],
  ['one now and then', [700, 4_100, 61_000]],
  ['a clock that steps back', [400, 400, -3_000, 5_100, 900, 900, 900]],
])('a window is written as if it were written for the first time: %s', (_, steps) => {
  let window = EMPTY_WINDOW;
  let now = T;
  for (let count = 0; count < 1_000; count++) {
    now += steps[count % steps.length] ?? 0;
    window = takeRolling(window, now, MINUTE_MS, { grainMs: 1_000, keep: 100, keepEntries: 64 });
    const text = slotsToText(window.slots);
    expect(text).toBe(slotsToText(structuredClone(window.slots)));
    expect(textToSlots(text)).toEqual(window.slots as [number, number][]);
  }
});

test('a window whose newest slot is at another time is written anew', () => {
  const older = Array.from({ length: 20 }, (_, second) => [T + second * 1_000, 1] as [number, number]);
  for (const seconds of [20, 21, 40]) {
    const slots = [...older, [T + seconds * 1_000, 5] as [number, number]];
    expect(textToSlots(slotsToText(slots))).toEqual(slots);
  }
});
