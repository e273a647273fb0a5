// Where a JSON string ends. A quote is found at the speed of memory, but in a text full of escaped quotes each of them
// would be a search of its own: there the bytes are scanned instead.

import { charsOf, countString, MOST_SCANNED_CHARS } from './scan-text.ts';

const BACKSLASH = 0x5c;
/** Escaped quotes that are passed one by one before the bytes are scanned. */
const FEW_QUOTES = 4;
const FIRST_PIECE_CHARS = 1024;

const UNENDED = -1;
const UNDECIDED = -2;

/** The offset after a string that opens at `start`; -1 if it does not end. */
export function skipString(text: string, start: number): number {
  const end = passQuotes(text, start + 1, FEW_QUOTES);
  return end === UNDECIDED ? scanString(text, start) : end;
}

/** Piece by piece, each twice as long as the one before: most strings are not long. */
function scanString(text: string, start: number): number {
  let at = start + 1;
  for (let chars = FIRST_PIECE_CHARS; at < text.length; chars = Math.min(chars * 2, MOST_SCANNED_CHARS)) {
    const stop = pieceEnd(text, at, chars);
    if (stop === at) return passQuotes(text, at, Number.POSITIVE_INFINITY);
    const counts = countString(text.slice(at, stop));
    if (counts.isOver) return at + charsOf(counts) + 1;
    at = stop;
  }
  return UNENDED;
}

/** A piece ends before a run of backslashes and not in a pair: nothing is torn. */
function pieceEnd(text: string, at: number, chars: number): number {
  if (at + chars >= text.length) return text.length;
  let stop = at + chars;
  while (stop > at && text.charCodeAt(stop - 1) === BACKSLASH) stop--;
  return isFirstHalf(text.charCodeAt(stop - 1)) && stop > at ? stop - 1 : stop;
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** From inside of a string to after its end, or undecided after so many escaped quotes. */
function passQuotes(text: string, from: number, most: number): number {
  let at = from;
  for (let passed = 0; passed < most; passed++) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return UNENDED;
    at = quote + 1;
    if (!isEscaped(text, quote)) return at;
  }
  return UNDECIDED;
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}
