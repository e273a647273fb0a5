// What an operator types: amounts, texts and times, checked in one place for the command line, the API and the console.

import { DAY_MS } from '../../kit/clock.ts';
import { parseMoment } from '../../kit/moment.ts';
import { NANO_PER_NTD, type Nano, parseNtd } from '../../kit/money.ts';
import { invalid } from './refused.ts';

/** Far above any real payment, and far below what a wallet can count: a slip of the hand does not fill one. */
export const MOST_AMOUNT: Nano = 100_000_000n * NANO_PER_NTD;

/** Refused: invalid. */
export function readAmount(text: string, field = 'amount'): Nano {
  const nano = parseNtd(text);
  if (nano === undefined || nano <= 0n || nano > MOST_AMOUNT) {
    throw invalid(field, `must be an amount of NT$ above 0, up to 100000000, with at most 9 decimals: ${text}`);
  }
  return nano;
}

/** One line that is kept for ever, or shown to people. Refused: invalid. */
export function readLine(text: string, field: string, maxChars: number): string {
  return readPlain(text, { field, maxChars, refused: /\p{Cc}/u });
}

/** The same, of several lines. */
export function readLines(text: string, field: string, maxChars: number): string {
  return readPlain(text.replaceAll('\r\n', '\n'), { field, maxChars, refused: /[^\P{Cc}\n]/u });
}

/** Not every database can hold control characters. */
function readPlain(text: string, { field, maxChars, refused }: { field: string; maxChars: number; refused: RegExp }) {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > maxChars || !trimmed.isWellFormed() || refused.test(trimmed)) {
    throw invalid(field, `must be a text of 1 to ${maxChars} characters, without control characters`);
  }
  return trimmed;
}

/** What no id, filter or text has, and not every database can be asked for; ends of lines and tabs are none of it. */
export function hasControls(text: string): boolean {
  return !text.isWellFormed() || /[^\P{Cc}\t\n\r]/u.test(text);
}

/** The end in Taipei of a day to come, such as 2027-12-31. Refused: invalid. */
export function readExpiry(text: string, now: number): number {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseMoment(text) : undefined;
  const end = midnight === undefined ? 0 : midnight + DAY_MS;
  if (end <= now) throw invalid('expires', `must be a date to come, such as 2027-12-31: ${text}`);
  return end;
}

/** A date is its midnight in Taipei; a time names its zone. Refused: invalid. */
export function readPastTime(text: string, now: number, field: string): number {
  const at = parseMoment(text);
  if (at === undefined || at < 0 || at > now) {
    throw invalid(field, `must be a past date or time, such as 2026-11-15 or 2026-11-15T09:30+08:00: ${text}`);
  }
  return at;
}
