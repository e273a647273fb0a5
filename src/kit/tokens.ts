// How many tokens a text may be, without a tokenizer: an upper bound for holds, an estimate for bills that an
// upstream left open, a lower bound to refuse what cannot fit. Counted by class of character, because Traditional
// Chinese takes about one token a character where English takes one for four, and Russian or Thai one for three.

import { isPair } from './json/scan/letter-pairs.ts';
import type { ByteCounts } from './json/scan/scan-bytes.ts';
import { countBytes, MOST_SCANNED_CHARS } from './json/scan/scan-text.ts';

export interface TokenCount {
  /** No common tokenizer makes more of it. */
  upper: number;
  /** What a common tokenizer makes of ordinary prose. */
  estimate: number;
  /** Ordinary prose and code take at least this many. */
  lower: number;
}

/**
 * Fewer output tokens than this (or than the client's own smaller number) are not worth a call. Some upstreams take no lower
 * bound and are asked for as many, so as many are held where the money is there.
 */
export const LEAST_OUTPUT_TOKENS = 16;

/** Claude takes no smaller thinking budget, and none is lowered below it. */
export const LEAST_THINKING_TOKENS = 1024;

/** By the sizes that common models make of it; its bytes tell nothing. A very small one may be a few tokens. */
export const PER_IMAGE: TokenCount = { upper: 5_000, estimate: 800, lower: 4 };

/** Of a picture or sound that a model made: by what common models make of a square picture, and of 16,000 bytes of sound. */
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

/** The estimate before rounding: pieces of a stream are summed first and rounded once. */
export function weighTokens(text: string): number {
  let weight = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) weight += code >= 0xd800 && code <= 0xdfff ? HALF_WEIGHT : letterWeight(code);
    else weight += (code >= 0x61 && code <= 0x7a) || code === 0x20 ? EASY_WEIGHT : HARD_WEIGHT;
  }
  return weight;
}

/** Of a character beyond ASCII that is no half of a pair. */
export function letterWeight(code: number): number {
  const weight = code >= WIDE_FROM ? WIDE_WEIGHT : LETTER_WEIGHT;
  return isRare(code) ? weight + RARE_WEIGHT : weight;
}

/** A sum of weights as tokens: what was said is at least one, however short. */
export function wholeTokens(weight: number): number {
  return weight > 0 ? Math.max(1, Math.round(weight)) : 0;
}

const EASY_WEIGHT = 1 / 4.3;
const HARD_WEIGHT = 1 / 2.3;
/** Of other alphabets and syllables, accents, dashes and lines: all that is before Chinese. */
const LETTER_WEIGHT = 0.35;
/** Chinese, kana and hangul. */
const WIDE_WEIGHT = 0.95;
/** Of each half of a pair. */
export const HALF_WEIGHT = 1;

/** Of a rare script, more than these: tokenizers have no words of it, and break up its letters. */
const RARE_WEIGHT = 1.5;

/** First and last of scripts that common tokenizers make at least one token a letter of. */
const RARE: readonly (readonly [number, number])[] = [
  // Syriac, Thaana, N'Ko; Odia; Lao, Tibetan; Ethiopic to Tagbanwa; Mongolian to phonetic letters.
  ...([
    [0x700, 0x8ff],
    [0xb00, 0xb7f],
    [0xe80, 0xfff],
    [0x1200, 0x177f],
    [0x1800, 0x1dff],
  ] as const),
  // Braille; Glagolitic to Ethiopic; rare Chinese; Yi to Meetei Mayek; private use.
  ...([
    [0x2800, 0x28ff],
    [0x2c00, 0x2ddf],
    [0x3400, 0x4dbf],
    [0xa000, 0xabff],
    [0xe000, 0xf8ff],
  ] as const),
];

function isRare(code: number): boolean {
  // Most letters are before all of them, common Chinese, hangul, or wide punctuation.
  if (code < 0x700 || (code >= 0x4e00 && code < 0xa000) || (code >= 0xac00 && code < 0xe000) || code > 0xf8ff)
    return false;
  for (const [first, last] of RARE) if (code >= first && code <= last) return true;
  return false;
}

export function countTokens(text: string): TokenCount {
  SCRATCH.fill(0);
  tallyText(text, 0, text.length, SCRATCH);
  tallyRare(text, SCRATCH);
  return tokensOf(SCRATCH);
}

/** How many characters of each class there are: tallies of parts add up to that of the whole, counts do not. */
export type Tally = Uint32Array;

const EASY = 0;
const HARD = 1;
const TWO_BYTES = 2;
const THREE_BYTES = 3;
/** Of three bytes, too. */
const WIDE = 4;
const HALF = 5;
/** Of those of two and three bytes, the letters of rare scripts. */
const RARES = 6;
const PAIRS = 7;

const WIDE_FROM = 0x3000;

export function newTally(): Tally {
  return new Uint32Array(PAIRS + 1);
}

/** A request may have a hundred thousand names and words to count: they share one. */
const SCRATCH = newTally();

/** Shorter texts are looked at here, character by character. */
const SHORT_CHARS = 64;

export function tallyText(text: string, from: number, to: number, into: Tally): void {
  let at = from;
  while (to - at > SHORT_CHARS) {
    const stop = pieceEnd(text, at, to);
    const piece = text.slice(at, stop);
    if (!piece.isWellFormed()) tallyChars(text, at, stop, into);
    else {
      tallyBytes(countBytes(piece), into);
      if (isPair(codeBefore(text, at), text.charCodeAt(at))) add(into, PAIRS, 1);
    }
    at = stop;
  }
  tallyChars(text, at, to, into);
}

/** Only estimates need these: most texts are counted for the upper bound alone. */
export function tallyRare(text: string, into: Tally): void {
  const beyondAscii = (into[TWO_BYTES] ?? 0) + (into[THREE_BYTES] ?? 0) + (into[WIDE] ?? 0);
  if (beyondAscii === 0) return;
  let rare = 0;
  for (let i = 0; i < text.length; i++) if (isRare(text.charCodeAt(i))) rare++;
  add(into, RARES, rare);
}

/** No pair is torn. */
function pieceEnd(text: string, at: number, to: number): number {
  const stop = at + MOST_SCANNED_CHARS;
  if (stop >= to) return to;
  return classOf(text.charCodeAt(stop - 1)) === HALF ? stop - 1 : stop;
}

export function tallyBytes({ bytes, easy, pairs, high, two, three, four, wide }: ByteCounts, into: Tally): void {
  add(into, EASY, easy);
  add(into, PAIRS, pairs);
  add(into, HARD, bytes - high - easy);
  add(into, TWO_BYTES, two - three);
  add(into, THREE_BYTES, three - wide);
  add(into, WIDE, wide - four);
  add(into, HALF, four * 2);
}

function tallyChars(text: string, from: number, to: number, into: Tally): void {
  let easy = 0;
  let hard = 0;
  let pairs = 0;
  let before = codeBefore(text, from);
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (isPair(before, code)) pairs++;
    before = code;
    if (code >= 0x80) add(into, classOf(code), 1);
    else if ((code >= 0x61 && code <= 0x7a) || code === 0x20) easy++;
    else hard++;
  }
  add(into, EASY, easy);
  add(into, HARD, hard);
  add(into, PAIRS, pairs);
}

function codeBefore(text: string, at: number): number {
  return at > 0 ? text.charCodeAt(at - 1) : 0;
}

function add(into: Tally, kind: number, count: number): void {
  into[kind] = (into[kind] ?? 0) + count;
}

export function addTally(into: Tally, other: Tally): void {
  for (let kind = EASY; kind <= PAIRS; kind++) add(into, kind, other[kind] ?? 0);
}

/**
 * Byte-level tokenizers make at most one token of a byte. In a run of letters that are pairs, one token in three letters is
 * saved: of each pair a third.
 */
export function upperOf(tally: Tally): number {
  const ascii = (tally[EASY] ?? 0) + (tally[HARD] ?? 0);
  const threeBytes = (tally[THREE_BYTES] ?? 0) + (tally[WIDE] ?? 0);
  const bytes = ascii + (tally[TWO_BYTES] ?? 0) * 2 + threeBytes * 3 + (tally[HALF] ?? 0) * 2;
  return bytes - Math.floor((tally[PAIRS] ?? 0) / 3);
}

export function tokensOf(tally: Tally): TokenCount {
  const easy = tally[EASY] ?? 0;
  const hard = tally[HARD] ?? 0;
  const letters = (tally[TWO_BYTES] ?? 0) + (tally[THREE_BYTES] ?? 0);
  const wide = tally[WIDE] ?? 0;
  const halves = tally[HALF] ?? 0;
  const rare = tally[RARES] ?? 0;
  const common = easy * EASY_WEIGHT + hard * HARD_WEIGHT + letters * LETTER_WEIGHT + wide * WIDE_WEIGHT;
  return {
    upper: upperOf(tally),
    estimate: Math.ceil(common + halves * HALF_WEIGHT + rare * RARE_WEIGHT),
    lower: Math.floor((easy + hard) / 16 + letters * 0.1 + wide * 0.3 + halves * 0.2),
  };
}

/** Of a character beyond ASCII. */
function classOf(code: number): number {
  if (code < 0x800) return TWO_BYTES;
  if (code < WIDE_FROM) return THREE_BYTES;
  return code >= 0xd800 && code <= 0xdfff ? HALF : WIDE;
}
