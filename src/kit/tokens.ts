// Bounds the tokens of a text without a tokenizer: an upper bound for holds, an estimate for bills that an upstream did
// not report, a lower bound to refuse what cannot fit. Counted by character class: Traditional Chinese takes about one
// token per character, English one per four, Russian or Thai one per three.

export interface TokenCount {
  /** No common tokenizer yields more. */
  upper: number;
  /** Typical for ordinary prose. */
  estimate: number;
  /** Ordinary prose and code yield at least this many. */
  lower: number;
}

/**
 * A call with fewer output tokens (or the client's smaller number) is not useful. Some upstreams accept no lower limit
 * and get this one, so it is held if the money suffices.
 */
export const MIN_OUTPUT_TOKENS = 16;

/** Claude's minimum thinking budget; none is lowered below it. */
export const MIN_THINKING_TOKENS = 1024;

/** From common models; an image's bytes say nothing. A very small one may be a few tokens. */
export const PER_IMAGE: TokenCount = { upper: 5_000, estimate: 800, lower: 4 };

/** For generated media: common models' tokens for a square image, and for 16,000 bytes of audio. */
const MADE_IMAGE_TOKENS = 1_290;
const SOUND = { bytes: 16_000, tokens: 20 };

export function madeImages(count: number): number {
  return count * MADE_IMAGE_TOKENS;
}

export function madeSound(base64Chars: number): number {
  return (base64Chars * 0.75 * SOUND.tokens) / SOUND.bytes;
}

export const NO_TOKENS: TokenCount = { upper: 0, estimate: 0, lower: 0 };

export function addTokens(a: TokenCount, b: TokenCount): TokenCount {
  return { upper: a.upper + b.upper, estimate: a.estimate + b.estimate, lower: a.lower + b.lower };
}

export function mostTokens(a: TokenCount, b: TokenCount): TokenCount {
  return {
    upper: Math.max(a.upper, b.upper),
    estimate: Math.max(a.estimate, b.estimate),
    lower: Math.max(a.lower, b.lower),
  };
}

export function sameTokens(count: number): TokenCount {
  return { upper: count, estimate: count, lower: count };
}

/** The estimate before rounding: chunks of a stream are summed first and rounded once. */
export function weighTokens(text: string): number {
  let weight = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) weight += code >= 0xd800 && code <= 0xdfff ? HALF_WEIGHT : letterWeight(code);
    else weight += (code >= 0x61 && code <= 0x7a) || code === 0x20 ? EASY_WEIGHT : HARD_WEIGHT;
  }
  return weight;
}

/** For a character outside ASCII that is not a surrogate. */
export function letterWeight(code: number): number {
  const weight = code >= WIDE_FROM ? WIDE_WEIGHT : LETTER_WEIGHT;
  return isRare(code) ? weight + RARE_WEIGHT : weight;
}

/** Rounds a sum of weights to tokens: at least one for any text. */
export function wholeTokens(weight: number): number {
  return weight > 0 ? Math.max(1, Math.round(weight)) : 0;
}

const EASY_WEIGHT = 1 / 4.3;
const HARD_WEIGHT = 1 / 2.3;
/** Other alphabets and syllables, accents, dashes and lines: all code points before Chinese. */
const LETTER_WEIGHT = 0.35;
/** Chinese, kana and hangul. */
const WIDE_WEIGHT = 0.95;
/** Per surrogate. */
export const HALF_WEIGHT = 1;

/** Rare scripts weigh more: tokenizers have no words of them and split their letters. */
const RARE_WEIGHT = 1.5;

const WIDE_FROM = 0x3000;

/** Scripts that take at least one token per letter in common tokenizers: where each range begins, and where it is over. */
const RARE = [
  // Syriac, Thaana, N'Ko; Odia; Lao, Tibetan; Ethiopic to Tagbanwa; Mongolian to phonetic letters.
  0x700, 0x900, 0xb00, 0xb80, 0xe80, 0x1000, 0x1200, 0x1780, 0x1800, 0x1e00,
  // Braille; Glagolitic to Ethiopic; rare Chinese; Yi to Meetei Mayek; private use.
  0x2800, 0x2900, 0x2c00, 0x2de0, 0x3400, 0x4dc0, 0xa000, 0xac00, 0xe000, 0xf900,
];

function isRare(code: number): boolean {
  // Fast path: before all of them, or common Chinese, hangul or wide punctuation.
  if (code < 0x700 || (code >= 0x4e00 && code < 0xa000) || (code >= 0xac00 && code < 0xe000) || code > 0xf8ff)
    return false;
  let isInside = false;
  for (const bound of RARE) {
    if (code < bound) return isInside;
    isInside = !isInside;
  }
  return isInside;
}

/** In common tokenizers a byte is at most one token. */
export function upperTokens(text: string): number {
  return Buffer.byteLength(text);
}

/** See the weights of `lower`. */
export const MAX_LOWER_PER_BYTE = 0.1;

export function countTokens(text: string): TokenCount {
  let easy = 0;
  let hard = 0;
  let letters = 0;
  let wide = 0;
  let halves = 0;
  let rare = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      if ((code >= 0x61 && code <= 0x7a) || code === 0x20) easy++;
      else hard++;
    } else if (code >= 0xd800 && code <= 0xdfff) halves++;
    else {
      if (code < WIDE_FROM) letters++;
      else wide++;
      if (isRare(code)) rare++;
    }
  }
  const common = easy * EASY_WEIGHT + hard * HARD_WEIGHT + letters * LETTER_WEIGHT + wide * WIDE_WEIGHT;
  return {
    upper: upperTokens(text),
    estimate: Math.ceil(common + halves * HALF_WEIGHT + rare * RARE_WEIGHT),
    lower: Math.floor((easy + hard) / 16 + letters * 0.1 + wide * 0.3 + halves * 0.2),
  };
}
