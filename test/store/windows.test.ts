// Limits under a clock that jumps: no window re-opens, and a refusal says when it does open.

import { describe, expect, test } from 'bun:test';
import { EMPTY_WINDOW, rollingAllowance, takeRolling } from '../../src/store/book/windows.ts';
import type { Window } from '../../src/store/rows.ts';

const SPAN = 60_000;
const LIMIT = 3;
const T = 1_768_500_000_000;

function take(window: Window, ...times: number[]): Window {
  return times.reduce((one, at) => takeRolling(one, at, SPAN, { keep: 2 * LIMIT }), window);
}
const left = (window: Window, at: number) => rollingAllowance(window, at, SPAN, LIMIT).remaining;

describe('a full window stays full', () => {
  const full = take(EMPTY_WINDOW, T, T + 1, T + 2);

  test.each([1_000, 3_600_000, 86_400_000])('when the clock steps back by %d ms', (ms) => {
    expect(left(full, T + 3 - ms)).toBe(0);
  });

  test.each([3_600_000, 86_400_000])('when the clock leaps ahead by %d ms, is used there, and comes back', (ms) => {
    const used = take(full, T + 3 + ms);
    expect(left(used, T + 4 + ms)).toBe(LIMIT - 1);
    expect(left(used, T + 4)).toBe(0);
  });

  test('until its oldest slot has run out', () => {
    expect(rollingAllowance(full, T + 10, SPAN, LIMIT)).toEqual({
      limit: LIMIT,
      used: LIMIT,
      remaining: 0,
      resetsAt: T + SPAN,
    });
    expect(left(full, T + SPAN)).toBe(1);
  });
});

test('slots that have run out are kept in a bounded number', () => {
  const times = Array.from({ length: 100 }, (_, n) => T + n * SPAN);
  expect(take(EMPTY_WINDOW, ...times).slots.length).toBe(2 * LIMIT + 1);
});
