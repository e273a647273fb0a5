// Finds the end of a JSON string. Searching for a quote is fast, but a text full of escaped quotes would need a search for
// each. Where they are close together, characters are checked one by one.

import { BACKSLASH, QUOTE } from './characters.ts';

/** Two escaped quotes that are nearer to each other than this are close together. */
const CLOSE_CHARS = 12;
/** After this many of them in a row more are expected. */
const MANY_CLOSE = 4;
/** Number of characters to inspect before the next search. */
const WALKED_CHARS = 512;

/** Longer runs of backslashes are not counted backwards, because a run may be as long as the text. */
const MAX_SLASHES = 512;

/** The offset after a string that opens at `start`; -1 if it does not end. */
export function skipString(text: string, start: number): number {
  const end = findStringEnd(text, start + 1, text.length);
  return end < 0 ? -1 : end;
}

/**
 * The offset after the quote that ends a string, from a place in it that is not inside an escape. If there is no such quote
 * up to about `stop`: `~at`, where `at` is where to go on, or the end of the text.
 */
export function findStringEnd(text: string, from: number, stop: number): number {
  let at = from;
  let close = 0;
  while (at < stop) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return ~text.length;
    const slashes = slashesBefore(text, quote);
    let walked = quote + 1;
    if (slashes < MAX_SLASHES) {
      if (slashes % 2 === 0) return quote + 1;
      close = quote - at < CLOSE_CHARS ? close + 1 : 0;
      at = quote + 1;
      if (close < MANY_CLOSE) continue;
      walked = at + WALKED_CHARS;
    }
    for (; at < Math.min(walked, stop); at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      if (code === BACKSLASH) at++;
    }
  }
  return ~Math.min(at, text.length);
}

function slashesBefore(text: string, quote: number): number {
  let slashes = 0;
  while (slashes < MAX_SLASHES && text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
  return slashes;
}
