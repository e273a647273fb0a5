// Where a JSON string ends. A quote is found at the speed of memory, but in a text full of escaped quotes each of them
// would be a search of its own: where they stand close together, the characters are looked at one by one.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Two escaped quotes that are nearer to each other than this are close together. */
const CLOSE_CHARS = 12;
/** After so many of them in a row more are expected. */
const MANY_CLOSE = 4;
/** So many characters are looked at before the next search. */
const WALKED_CHARS = 512;

/** The offset after a string that opens at `start`; -1 if it does not end. */
export function skipString(text: string, start: number): number {
  let at = start + 1;
  let close = 0;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return -1;
    if (!isEscaped(text, quote)) return quote + 1;
    close = quote - at < CLOSE_CHARS ? close + 1 : 0;
    at = quote + 1;
    if (close < MANY_CLOSE) continue;
    const stop = at + WALKED_CHARS;
    for (; at < stop; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      if (code === BACKSLASH) at++;
    }
  }
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}
