// The inside of a JSON string as bytes of UTF-8, as long as nothing in it is escaped: where it ends, and what it weighs. It
// is looked at without being decoded, because a stream brings some hundred such texts a second.

import { EASY_WEIGHT, HARD_WEIGHT, HALF_WEIGHT, WIDE_WEIGHT } from './tokens.ts';

const SPACE = 0x20;
const QUOTE = 0x22;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
const BACKSLASH = 0x5c;
const BEYOND_ASCII = 0x80;

export interface PlainText {
  /** Looks at what stands from here to the next quote. False if it is no plain text: escaped, broken, or without an end. */
  scan(bytes: Uint8Array, from: number): boolean;
  /** Where the quote stands that ends it. */
  end: number;
  /** What `weighTokens` says of it, to the last bit. */
  weight: number;
}

export function createPlainText(): PlainText {
  const text: PlainText = {
    end: 0,
    weight: 0,
    scan(bytes, from) {
      let weight = 0;
      for (let at = from; at < bytes.length; ) {
        const byte = bytes[at] ?? 0;
        if (byte === QUOTE) {
          text.end = at;
          text.weight = weight;
          return true;
        }
        if (byte < SPACE || byte === BACKSLASH) return false;
        if (byte < BEYOND_ASCII) {
          weight += (byte >= SMALL_A && byte <= SMALL_Z) || byte === SPACE ? EASY_WEIGHT : HARD_WEIGHT;
          at++;
          continue;
        }
        const size = sizeOf(bytes, at);
        if (size === 0) return false;
        weight += size === 4 ? HALF_WEIGHT : WIDE_WEIGHT;
        if (size === 4) weight += HALF_WEIGHT;
        at += size;
      }
      return false;
    },
  };
  return text;
}

/** Of the character beyond ASCII that begins here; 0 if none does. */
function sizeOf(bytes: Uint8Array, at: number): 0 | 2 | 3 | 4 {
  const first = bytes[at] ?? 0;
  if (first >= 0xc2 && first <= 0xdf) return isNext(bytes, at + 1) ? 2 : 0;
  const second = bytes[at + 1] ?? 0;
  if (first >= 0xe0 && first <= 0xef) {
    // Nothing that fits into fewer bytes, and no half of a pair.
    const isOne = first === 0xe0 ? second >= 0xa0 : first !== 0xed || second < 0xa0;
    return isOne && isNext(bytes, at + 1) && isNext(bytes, at + 2) ? 3 : 0;
  }
  if (first < 0xf0 || first > 0xf4) return 0;
  const isOne = first === 0xf0 ? second >= 0x90 : first !== 0xf4 || second < 0x90;
  return isOne && isNext(bytes, at + 1) && isNext(bytes, at + 2) && isNext(bytes, at + 3) ? 4 : 0;
}

function isNext(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80;
}
