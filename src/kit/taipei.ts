// Calendar days are days in Asia/Taipei: UTC+8 all year, no daylight saving since 1979.

import { DAY_MS, HOUR_MS } from './clock.ts';

/** Taipei's offset from UTC. */
export const OFFSET_MS = 8 * HOUR_MS;

/** Days since 1970-01-01 in Taipei. */
export function taipeiDay(atMs: number): number {
  return Math.floor((atMs + OFFSET_MS) / DAY_MS);
}

export function taipeiDayStart(day: number): number {
  return day * DAY_MS - OFFSET_MS;
}

/** Months since the year 0 in Taipei. */
export function taipeiMonth(atMs: number): number {
  const there = new Date(atMs + OFFSET_MS);
  return there.getUTCFullYear() * 12 + there.getUTCMonth();
}

export function taipeiMonthStart(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12) - OFFSET_MS;
}

/** The same day `months` ago, or the last day of a shorter month. */
export function monthsBefore(atMs: number, months: number): number {
  const there = new Date(atMs + OFFSET_MS);
  const month = there.getUTCMonth() - months;
  const last = new Date(Date.UTC(there.getUTCFullYear(), month + 1, 0)).getUTCDate();
  return Date.UTC(there.getUTCFullYear(), month, Math.min(there.getUTCDate(), last)) / DAY_MS;
}

/** To the minute: 2026-11-15 09:30. */
export function taipeiDateTime(atMs: number): string {
  return taipeiTime(atMs).slice(0, 16);
}

/** A date, and its time unless that is midnight: 2026-11-15, or 2026-11-15 09:30. */
export function taipeiMoment(atMs: number): string {
  return taipeiDateTime(atMs).replace(/ 00:00$/, '');
}

/** To the second: 2026-11-15 09:30:00. */
export function taipeiTime(atMs: number): string {
  return new Date(atMs + OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}
