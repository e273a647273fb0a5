// Where a JSON string ends. A quote is found at the speed of memory, but in a text full of escaped quotes each of them
// would be a search of its own: there the bytes are scanned instead.

import { findStringEnd, MOST_SCANNED_CHARS } from './scan-text.ts';

const BACKSLASH = 0x5c;
/** Escaped quotes that are passed one by one before the rest is scanned. */
const FEW_QUOTES = 4;
const FIRST_PIECE_CHARS = 1024;

/** The offset after a string that opens at `start`; -1 if it does not end. */
export function skipString(text: string, start: number): number {
  let at = start + 1;
  for (let passed = 0; passed < FEW_QUOTES; passed++) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return -1;
    at = quote + 1;
    if (!isEscaped(text, quote)) return at;
  }
  return skipOn(text, at);
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}

/** Piece by piece, each twice as long as the one before: most strings are not long. */
function skipOn(text: string, from: number): number {
  let at = from;
  for (let chars = FIRST_PIECE_CHARS; at < text.length; chars = Math.min(chars * 2, MOST_SCANNED_CHARS)) {
    const stop = pieceEnd(text, at, chars);
    if (stop === at) return skipString(text, at - 1);
    const end = findStringEnd(text.slice(at, stop));
    if (end >= 0) return at + end + 1;
    at = stop;
  }
  return -1;
}

/** A piece ends before a run of backslashes, so that no escape is torn. */
function pieceEnd(text: string, at: number, chars: number): number {
  if (at + chars >= text.length) return text.length;
  let stop = at + chars;
  while (stop > at && text.charCodeAt(stop - 1) === BACKSLASH) stop--;
  return stop;
}
