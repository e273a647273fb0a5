// Limits as slots in a window. A slot is taken with its time, and given back by that time; the clock may step back
// without re-opening anything: slots from "the future" still count, slots that have run out are remembered as long as
// they could fill the window again, and a day once begun is never left again.

import { taipeiDay, taipeiDayStart } from '../../kit/taipei.ts';
import type { Window } from '../rows.ts';

export const EMPTY_WINDOW: Window = { slots: [], day: 0, dayCount: 0, touchedAt: 0 };

export interface Allowance {
  limit: number;
  used: number;
  remaining: number;
  /** When the next slot opens: for a full rolling window its oldest slot's end, for a day the next midnight. */
  resetsAt: number;
}

export function rollingAllowance(window: Window, now: number, spanMs: number, limit: number): Allowance {
  const live = liveSlots(window, now, spanMs);
  let used = 0;
  for (const [, count] of live) used += count;
  let excess = used - limit;
  let opens = now + spanMs;
  for (const [at, count] of live) {
    opens = at + spanMs;
    excess -= count;
    if (excess < 0) break;
  }
  return {
    limit,
    used: Math.min(used, limit),
    remaining: Math.max(0, limit - used),
    resetsAt: live.length ? opens : now,
  };
}

export function dayAllowance(window: Window, now: number, limit: number): Allowance {
  const day = Math.max(window.day, taipeiDay(now));
  const used = day === window.day ? window.dayCount : 0;
  return { limit, used, remaining: Math.max(0, limit - used), resetsAt: taipeiDayStart(day + 1) };
}

export interface Taking {
  /** Coarsens a slot's time upwards, so that many slots share one entry. */
  grainMs?: number;
  /** So many of the newest slots are kept though they ran out: a clock that leapt ahead may come back to them. */
  keep?: number;
  /** In at most so many entries. */
  keepEntries?: number;
}

export function takeRolling(window: Window, now: number, spanMs: number, taking: Taking): Window {
  const at = slotTime(now, taking.grainMs ?? 1);
  const slots = keptSlots(window, now, spanMs, taking);
  const same = slots.findIndex(([time]) => time === at);
  if (same >= 0) {
    slots[same] = [at, (slots[same]?.[1] ?? 0) + 1];
  } else {
    slots.push([at, 1]);
    slots.sort((a, b) => a[0] - b[0]);
  }
  return { ...window, slots, touchedAt: now };
}

export function giveBackRolling(window: Window, takenAt: number, grainMs = 1): Window {
  const at = slotTime(takenAt, grainMs);
  const slots = window.slots.flatMap(([time, count]) =>
    time !== at ? [[time, count] as const] : count > 1 ? [[time, count - 1] as const] : [],
  );
  return { ...window, slots };
}

export function takeDay(window: Window, now: number): Window {
  const day = Math.max(window.day, taipeiDay(now));
  return { ...window, day, dayCount: day === window.day ? window.dayCount + 1 : 1, touchedAt: now };
}

export function giveBackDay(window: Window, takenAt: number): Window {
  const sameDay = taipeiDay(takenAt) === window.day;
  return sameDay && window.dayCount > 0 ? { ...window, dayCount: window.dayCount - 1 } : window;
}

function slotTime(at: number, grainMs: number): number {
  return Math.ceil(at / grainMs) * grainMs;
}

/** A copy without the slots that have run out, but for the newest. */
function keptSlots(
  { slots }: Window,
  now: number,
  spanMs: number,
  { keep = 0, keepEntries = Number.MAX_SAFE_INTEGER }: Taking,
): (readonly [number, number])[] {
  let first = slots.length;
  let past = 0;
  for (let newer = 0; first > 0; first--) {
    const [at, count] = slots[first - 1] ?? [0, 0];
    if (at + spanMs <= now && (newer >= keep || past++ >= keepEntries)) break;
    newer += count;
  }
  return slots.slice(first);
}

function liveSlots(window: Window, now: number, spanMs: number): Window['slots'] {
  return window.slots.filter(([at]) => at + spanMs > now);
}
