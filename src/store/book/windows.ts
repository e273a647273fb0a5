// Limits as slots in a window. A slot is taken with its time, and given back by that time. If the clock steps back by up to
// two days, no slot becomes free early: slots in the future count, expired slots are kept as long as they could fill the
// window again, and a later day stays the current one. Slots further in the future were written by a wrong clock and do not
// count, because they would block an account for weeks.

import { DAY_MS } from '../../kit/clock.ts';
import { taipeiDay, taipeiDayStart, taipeiMonth } from '../../kit/taipei.ts';
import type { Window } from '../rows.ts';
import type { Book } from './book.ts';

export const EMPTY_WINDOW: Window = { slots: [], day: 0, dayCount: 0, touchedAt: 0 };

export function windowOf(book: Book, id: string): Window {
  return book.get('windows', id) ?? EMPTY_WINDOW;
}

const NO_SLOT = [0, 0] as const;
const DAYS_AHEAD = 2;

export interface Allowance {
  limit: number;
  used: number;
  remaining: number;
  /** When the next slot opens: for a full rolling window its oldest slot's end, for a day the next midnight. */
  resetsAt: number;
}

/**
 * Slots are sorted by time: live ones are at the end, before those too far in the future. If fewer than `needed` slots are
 * free, `resetsAt` is when they are.
 */
export function rollingAllowance({ slots }: Window, now: number, spanMs: number, limit: number, needed = 1): Allowance {
  const end = endOfCounted(slots, now, spanMs);
  let live = end;
  let used = 0;
  for (; live > 0; live--) {
    const slot = slots[live - 1] ?? NO_SLOT;
    if (slot[0] + spanMs <= now) break;
    used += slot[1];
  }
  let excess = used - limit + needed - 1;
  let opens = now;
  for (; live < end; live++) {
    const slot = slots[live] ?? NO_SLOT;
    opens = slot[0] + spanMs;
    excess -= slot[1];
    if (excess < 0) break;
  }
  return { limit, used: Math.min(used, limit), remaining: Math.max(0, limit - used), resetsAt: opens };
}

/** Today, or a day up to two days later that a clock ahead of this one has begun. */
export function dayThatCounts(begun: number, now: number): number {
  const today = taipeiDay(now);
  return begun > today + DAYS_AHEAD ? today : Math.max(begun, today);
}

/** This month, or the next one if such a clock has begun it. */
export function monthThatCounts(begun: number, now: number): number {
  const month = taipeiMonth(now);
  return begun > taipeiMonth(now + DAYS_AHEAD * DAY_MS) ? month : Math.max(begun, month);
}

export function dayAllowance(window: Window, now: number, limit: number): Allowance {
  const day = dayThatCounts(window.day, now);
  const used = day === window.day ? window.dayCount : 0;
  return { limit, used, remaining: Math.max(0, limit - used), resetsAt: taipeiDayStart(day + 1) };
}

/** The stricter of two limits on the same calls: fewer remaining slots, or the same number and a later reset. */
export function tighterOf(one: Allowance, other: Allowance): Allowance {
  if (one.remaining !== other.remaining) return one.remaining < other.remaining ? one : other;
  return one.resetsAt > other.resetsAt ? one : other;
}

export interface TakeOptions {
  /** How many are taken. */
  count?: number;
  /** Coarsens a slot's time upwards, so that many slots share one entry. */
  grainMs?: number;
  /** Number of expired slots to keep, newest first: a clock that was ahead may step back to them. */
  keep?: number;
  /** The most entries to keep them in. */
  keepEntries?: number;
}

export function takeRolling(window: Window, now: number, spanMs: number, options: TakeOptions): Window {
  const { count = 1 } = options;
  const at = slotTime(now, options.grainMs ?? 1);
  const slots = keptSlots(window, now, spanMs, options);
  let place = slots.length;
  while (place > 0 && (slots[place - 1] ?? NO_SLOT)[0] > at) place--;
  const last = place > 0 ? slots[place - 1] : undefined;
  if (last?.[0] === at) slots[place - 1] = [at, last[1] + count];
  else slots.splice(place, 0, [at, count]);
  return { ...window, slots, touchedAt: now };
}

export function giveBackRolling(window: Window, takenAt: number, grainMs = 1): Window {
  return changeSlot(window, takenAt, grainMs, -1);
}

/** Corrects the number of slots taken at that time. */
export function changeSlot(window: Window, takenAt: number, grainMs: number, by: number): Window {
  const at = slotTime(takenAt, grainMs);
  const others = window.slots.filter(([time]) => time !== at);
  const count = by + (window.slots.find(([time]) => time === at)?.[1] ?? 0);
  if (count <= 0) return { ...window, slots: others };
  const place = others.findLastIndex(([time]) => time < at) + 1;
  return { ...window, slots: others.toSpliced(place, 0, [at, count]) };
}

export function takeDay(window: Window, now: number): Window {
  const day = dayThatCounts(window.day, now);
  return { ...window, day, dayCount: day === window.day ? window.dayCount + 1 : 1, touchedAt: now };
}

/** Takes a slot of a daily limit; the allowance that is used up if there is none. */
export function takeDaySlot(book: Book, id: string, now: number, limit: number): Allowance | undefined {
  const window = windowOf(book, id);
  const allowance = dayAllowance(window, now, limit);
  if (allowance.remaining < 1) return allowance;
  book.put('windows', id, takeDay(window, now));
  return undefined;
}

export function giveBackDay(window: Window, takenAt: number): Window {
  const sameDay = taipeiDay(takenAt) === window.day;
  return sameDay && window.dayCount > 0 ? { ...window, dayCount: window.dayCount - 1 } : window;
}

function slotTime(at: number, grainMs: number): number {
  return Math.ceil(at / grainMs) * grainMs;
}

/** How many slots, from the oldest on, do not lie too far ahead. */
function endOfCounted(slots: Window['slots'], now: number, spanMs: number): number {
  const furthest = now + DAYS_AHEAD * DAY_MS + spanMs;
  let end = slots.length;
  while (end > 0 && (slots[end - 1] ?? NO_SLOT)[0] > furthest) end--;
  return end;
}

/**
 * A copy without expired slots and those too far in the future. The newest of both are kept, because this clock may be the
 * one that is behind.
 */
function keptSlots(
  { slots }: Window,
  now: number,
  spanMs: number,
  { keep = 0, keepEntries = Number.MAX_SAFE_INTEGER }: TakeOptions,
): (readonly [number, number])[] {
  const end = endOfCounted(slots, now, spanMs);
  let first = end;
  let past = 0;
  for (let newer = 0; first > 0; first--) {
    const slot = slots[first - 1] ?? NO_SLOT;
    if (slot[0] + spanMs <= now && (newer >= keep || past++ >= keepEntries)) break;
    newer += slot[1];
  }
  const ahead = Math.max(end, slots.length - Math.min(keep, keepEntries));
  const kept = slots.slice(first, end);
  return ahead < slots.length ? kept.concat(slots.slice(ahead)) : kept;
}

/**
 * The windows of client addresses, by purpose. Only these contain an address, as a keyed hash, and they are deleted after two
 * days. Every limit by address must use one of them.
 */
export const ADDRESS_WINDOWS = ['free', 'redeem', 'register'] as const;

export function addressWindow(limits: (typeof ADDRESS_WINDOWS)[number], address: string): string {
  return `${limits}:address:${address}`;
}
