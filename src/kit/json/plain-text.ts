// Measures the content of a JSON string without escapes, in bytes of UTF-8: its end and its token weight. It is not decoded,
// because a stream has hundreds of such texts a second.

import { HALF_WEIGHT, letterWeight, weighTokens } from '../tokens.ts';
import { BACKSLASH, QUOTE } from './characters.ts';

const SPACE = 0x20;
const BEYOND_ASCII = 0x80;
/** The weight of each byte that is a character by itself and needs no escape; 0 for all others. */
const WEIGHTS = Float64Array.from({ length: 256 }, (_, byte) =>
  byte < SPACE || byte === QUOTE || byte === BACKSLASH || byte >= BEYOND_ASCII
    ? 0
    : weighTokens(String.fromCharCode(byte)),
);

export class PlainText {
  /** The offset of the closing quote. */
  end = 0;
  /** Equal to the result of `weighTokens`, to the last bit. */
  weight = 0;

  /** Measures the text from here to the next quote. False if the text has an escape, is invalid or has no end. */
  scan(bytes: Uint8Array, from: number): boolean {
    let weight = 0;
    for (let at = from; at < bytes.length; ) {
      const byte = bytes[at] ?? 0;
      const own = WEIGHTS[byte] ?? 0;
      if (own > 0) {
        weight += own;
        at++;
        continue;
      }
      if (byte === QUOTE) {
        this.end = at;
        this.weight = weight;
        return true;
      }
      const size = sizeOf(bytes, at);
      if (size === 0) return false;
      if (size < 4) weight += letterWeight(codeAt(bytes, at, size));
      else {
        weight += HALF_WEIGHT;
        weight += HALF_WEIGHT;
      }
      at += size;
    }
    return false;
  }
}

/** Length in bytes of the character beyond ASCII that begins here; 0 if none does. */
function sizeOf(bytes: Uint8Array, at: number): 0 | 2 | 3 | 4 {
  const first = bytes[at] ?? 0;
  if (first >= 0xc2 && first <= 0xdf) return isNext(bytes, at + 1) ? 2 : 0;
  const second = bytes[at + 1] ?? 0;
  if (first >= 0xe0 && first <= 0xef) {
    // Refuses overlong encodings and surrogates.
    const isOne = first === 0xe0 ? second >= 0xa0 : first !== 0xed || second < 0xa0;
    return isOne && isNext(bytes, at + 1) && isNext(bytes, at + 2) ? 3 : 0;
  }
  if (first < 0xf0 || first > 0xf4) return 0;
  const isOne = first === 0xf0 ? second >= 0x90 : first !== 0xf4 || second < 0x90;
  return isOne && isNext(bytes, at + 1) && isNext(bytes, at + 2) && isNext(bytes, at + 3) ? 4 : 0;
}

/** The code of a character of two or three bytes. */
function codeAt(bytes: Uint8Array, at: number, size: number): number {
  const first = bytes[at] ?? 0;
  const second = (bytes[at + 1] ?? 0) & 0x3f;
  if (size === 2) return ((first & 0x1f) << 6) | second;
  return ((first & 0x0f) << 12) | (second << 6) | ((bytes[at + 2] ?? 0) & 0x3f);
}

function isNext(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80;
}
