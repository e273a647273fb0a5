// Checks operator input: amounts, texts and times, for the command line, the API and the console.

import { DAY_MS } from '../../kit/clock.ts';
import { parseMoment } from '../../kit/moment.ts';
import { NANO_PER_NTD, type Nano, parseNtd } from '../../kit/money.ts';
import { invalid } from './refused.ts';

/** Far above any real payment, and far below a wallet's limit: a typo does not fill one. */
export const MAX_AMOUNT: Nano = 100_000_000n * NANO_PER_NTD;

/** Refused: invalid. */
export function readAmount(text: string, field = 'amount'): Nano {
  const nano = parseNtd(text);
  if (nano === undefined || nano <= 0n || nano > MAX_AMOUNT) {
    throw invalid(field, `must be an amount of NT$ above 0, up to 100000000, with at most 9 decimals: ${text}`);
  }
  return nano;
}

/** The same, or 0. Refused: invalid. */
export function readFee(text: string, field = 'fee'): Nano {
  return parseNtd(text) === 0n ? 0n : readAmount(text, field);
}

/** One line that is stored permanently or shown to people. Refused: invalid. */
export function readLine(text: string, field: string, maxChars: number): string {
  return readPlain(text, { field, maxChars, refused: /\p{Cc}/u });
}

/** The same, with several lines. */
export function readLines(text: string, field: string, maxChars: number): string {
  return readPlain(text.replaceAll('\r\n', '\n'), { field, maxChars, refused: /[^\P{Cc}\n]/u });
}

/** Not every database can store control characters. */
function readPlain(text: string, { field, maxChars, refused }: { field: string; maxChars: number; refused: RegExp }) {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > maxChars || !trimmed.isWellFormed() || refused.test(trimmed)) {
    throw invalid(field, `must be a text of 1 to ${maxChars} characters, without control characters`);
  }
  return trimmed;
}

/**
 * Control characters except line ends and tabs: no id, filter or text has them, and not every database accepts them.
 */
export function hasControls(text: string): boolean {
  return !text.isWellFormed() || /[^\P{Cc}\t\n\r]/u.test(text);
}

/** The end of a future day in Taipei, such as 2027-12-31. Refused: invalid. */
export function readExpiry(text: string, now: number): number {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseMoment(text) : undefined;
  const end = midnight === undefined ? 0 : midnight + DAY_MS;
  if (end <= now) throw invalid('expires', `must be a future date, such as 2027-12-31: ${text}`);
  return end;
}

/** A date means midnight in Taipei; a time needs a zone. Refused: invalid. */
export function readPastTime(text: string, now: number, field: string): number {
  const at = parseMoment(text);
  if (at === undefined || at < 0 || at > now) {
    throw invalid(field, `must be a past date or time, such as 2026-11-15 or 2026-11-15T09:30+08:00: ${text}`);
  }
  return at;
}
