// A window's slots are read back as they were written, also those that were written as pairs.

import { expect, test } from 'bun:test';
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
