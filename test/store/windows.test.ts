// Limits under a clock that jumps: no window re-opens, and a refusal says when it does open.

import { describe, expect, test } from 'bun:test';
import { taipeiMonth } from '../../src/kit/taipei.ts';
import { budgetOn } from '../../src/store/book/budgets.ts';
import {
  dayAllowance,
  EMPTY_WINDOW,
  giveBackDay,
  rollingAllowance,
  takeDay,
  takeRolling,
  tighterOf,
} from '../../src/store/book/windows.ts';
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

  test('until there is room under a limit that was lowered', () => {
    const lowered = (at: number) => rollingAllowance(full, at, SPAN, LIMIT - 1);
    expect(lowered(T + 10)).toMatchObject({ used: LIMIT - 1, remaining: 0, resetsAt: T + 1 + SPAN });
    expect(lowered(T + SPAN).remaining).toBe(0);
    expect(lowered(T + 1 + SPAN).remaining).toBe(1);
  });
});

describe('what a clock wrote that was days ahead', () => {
  const DAY_MS = 86_400_000;
  const MINUTE_BEFORE_MIDNIGHT = Date.UTC(2026, 0, 15, 16) - SPAN;
  const full = (at: number) => take(EMPTY_WINDOW, at, at + 1, at + 2);

  test.each([1, 1.9, 2])('counts for %d days: a leap back by less opens nothing', (days) => {
    expect(left(full(T), T + 3 - days * DAY_MS)).toBe(0);
    const begun = takeDay(EMPTY_WINDOW, MINUTE_BEFORE_MIDNIGHT);
    expect(dayAllowance(begun, MINUTE_BEFORE_MIDNIGHT - days * DAY_MS, 1).remaining).toBe(0);
  });

  test.each([3, 60, 20_000])('does not count for %d days', (days) => {
    const ahead = T + days * DAY_MS;
    expect(rollingAllowance(full(ahead), T, SPAN, LIMIT)).toEqual({
      limit: LIMIT,
      used: 0,
      remaining: LIMIT,
      resetsAt: T,
    });
    const begun = takeDay(EMPTY_WINDOW, ahead);
    expect(dayAllowance(begun, T, 1)).toEqual(dayAllowance(EMPTY_WINDOW, T, 1));
    const again = takeDay(begun, T);
    expect(dayAllowance(again, T, 2).used).toBe(1);
    const page = { spent: 7n, held: 3n, monthSpent: 9n, totalSpent: 11n, inFlight: 2, limits: { dayBudget: 8n } };
    const [month, monthAhead] = [taipeiMonth(T), taipeiMonth(ahead)];
    expect(budgetOn({ ...page, day: begun.day, month: monthAhead }, T)).toEqual({
      ...page,
      day: again.day,
      spent: 0n,
      month,
      monthSpent: month === monthAhead ? 9n : 0n,
    });
  });

  test('leaves today a limit of its own, slot by slot', () => {
    const used = take(full(T + 60 * DAY_MS), T, T + 1);
    expect(left(used, T + 2)).toBe(LIMIT - 2);
    expect(left(take(used, T + 2), T + 3)).toBe(0);
    expect(left(take(used, T + 2), T + SPAN)).toBe(1);
  });

  test('counts again when a clock that was years behind comes back', () => {
    const behind = take(full(T), ...Array.from({ length: 50 }, (_, n) => n * SPAN));
    expect(left(behind, T + 3)).toBe(0);
    expect(behind.slots.length).toBeLessThanOrEqual(4 * LIMIT + 1);
  });

  test('stays bounded, however often the clock leaps', () => {
    const leaps = Array.from({ length: 100 }, (_, n) => T + (300 - 3 * n) * DAY_MS);
    const used = leaps.reduce((window, at) => take(window, at, at + 1, at + 2), EMPTY_WINDOW);
    expect(used.slots.length).toBeLessThanOrEqual(4 * LIMIT + 1);
  });
});

describe('a day', () => {
  const MIDNIGHT = Date.UTC(2026, 0, 15, 16);
  const used = (window: Window, at: number) => dayAllowance(window, at, 10).used;

  test('gets back what was taken on it, and nothing of the day before', () => {
    const yesterday = takeDay(takeDay(EMPTY_WINDOW, MIDNIGHT - 2), MIDNIGHT - 1);
    expect(used(giveBackDay(yesterday, MIDNIGHT - 1), MIDNIGHT - 1)).toBe(1);
    const today = takeDay(yesterday, MIDNIGHT);
    expect(used(today, MIDNIGHT)).toBe(1);
    expect(used(giveBackDay(today, MIDNIGHT - 1), MIDNIGHT)).toBe(1);
    expect(used(giveBackDay(today, MIDNIGHT), MIDNIGHT)).toBe(0);
    expect(used(giveBackDay(giveBackDay(today, MIDNIGHT), MIDNIGHT), MIDNIGHT)).toBe(0);
  });
});

describe('a window of seconds, as paid calls have it,', () => {
  const taking = { grainMs: 1_000, keep: 1_200, keepEntries: 64 };
  const fill = (window: Window, ...times: number[]) =>
    times.reduce((one, at) => takeRolling(one, at, SPAN, taking), window);
  const full = fill(EMPTY_WINDOW, ...Array.from({ length: 600 }, (_, n) => T + n * 100));
  const remaining = (window: Window, at: number) => rollingAllowance(window, at, SPAN, 600).remaining;

  test.each([3_600_000, 86_400_000])('stays full when the clock leaps ahead by %d ms and comes back', (ms) => {
    expect(remaining(full, T + 59_999)).toBe(0);
    const used = fill(full, ...Array.from({ length: 50 }, (_, n) => T + 60_000 + ms + n * 1_000));
    expect(remaining(used, T + 110_000 + ms)).toBe(550);
    expect(remaining(used, T + 59_999)).toBe(0);
  });

  test('holds a bounded number of entries, however long it is used', () => {
    const steady = fill(EMPTY_WINDOW, ...Array.from({ length: 5_000 }, (_, n) => T + n * 1_000));
    expect(steady.slots.length).toBeLessThanOrEqual(64 + 61);
    const rare = fill(EMPTY_WINDOW, ...Array.from({ length: 500 }, (_, n) => T + n * 3_600_000));
    expect(rare.slots.length).toBeLessThanOrEqual(65);
  });
});

test('of two limits the one with fewer slots left binds, and of two that are full the one that opens later', () => {
  const midnight = T - (T % 86_400_000) + 16 * 3_600_000;
  const at = (now: number, perMinute: number, perDay: number) => {
    const used = takeDay(take(EMPTY_WINDOW, now), now);
    const [minute, day] = [rollingAllowance(used, now, SPAN, perMinute), dayAllowance(used, now, perDay)];
    expect(tighterOf(day, minute)).toEqual(tighterOf(minute, day));
    return tighterOf(minute, day);
  };
  const early = midnight - 3_600_000;
  expect(at(early, 3, 2)).toMatchObject({ limit: 2, remaining: 1 });
  expect(at(early, 2, 3)).toMatchObject({ limit: 2, remaining: 1, resetsAt: early + SPAN });
  expect(at(early, 1, 1)).toMatchObject({ remaining: 0, resetsAt: midnight });
  const late = midnight - 1_000;
  expect(at(late, 1, 1)).toMatchObject({ remaining: 0, resetsAt: late + SPAN });
});

test('slots that have run out are kept in a bounded number', () => {
  const times = Array.from({ length: 100 }, (_, n) => T + n * SPAN);
  expect(take(EMPTY_WINDOW, ...times).slots.length).toBe(2 * LIMIT + 1);
});
