// People read how long to wait; it is never shorter than it is.

import { expect, test } from 'bun:test';
import { describeWait } from '../../src/limits/admission-fault.ts';

test.each([
  [1, '1 s'],
  [120, '120 s'],
  [121, '3 min'],
  [3_600, '60 min'],
  [7_200, '120 min'],
  [7_201, '3 h'],
  [86_321, '24 h'],
])('%d s', (seconds, words) => {
  expect(describeWait(seconds)).toBe(words);
});
