// How many tokens a text may be, without a tokenizer: an upper bound for holds, an estimate for bills that an
// upstream left open, a lower bound to refuse what cannot fit. Counted by class of character, because Traditional
// Chinese takes about one token a character where English takes one for four, and Russian or Thai one for three.

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
    if (code >= WIDE_FROM) weight += code >= 0xd800 && code <= 0xdfff ? HALF_WEIGHT : WIDE_WEIGHT;
    else if (code >= 0x80) weight += LETTER_WEIGHT;
    else weight += (code >= 0x61 && code <= 0x7a) || code === 0x20 ? EASY_WEIGHT : HARD_WEIGHT;
  }
  return weight;
}

/** A sum of weights as tokens: what was said is at least one, however short. */
export function wholeTokens(weight: number): number {
  return weight > 0 ? Math.max(1, Math.round(weight)) : 0;
}

const EASY_WEIGHT = 1 / 4.3;
const HARD_WEIGHT = 1 / 2.3;
/** Of other alphabets and syllables, accents, dashes and lines: all that is before Chinese. */
export const LETTER_WEIGHT = 0.35;
/** Chinese, kana and hangul. */
export const WIDE_WEIGHT = 0.95;
/** Of each half of a pair. */
export const HALF_WEIGHT = 1;

export function countTokens(text: string): TokenCount {
  SCRATCH.fill(0);
  tallyText(text, 0, text.length, SCRATCH);
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

const WIDE_FROM = 0x3000;

export function newTally(): Tally {
  return new Uint32Array(HALF + 1);
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
    if (piece.isWellFormed()) tallyBytes(countBytes(piece), into);
    else tallyChars(piece, 0, piece.length, into);
    at = stop;
  }
  tallyChars(text, at, to, into);
}

/** No pair is torn. */
function pieceEnd(text: string, at: number, to: number): number {
  const stop = at + MOST_SCANNED_CHARS;
  if (stop >= to) return to;
  return classOf(text.charCodeAt(stop - 1)) === HALF ? stop - 1 : stop;
}

export function tallyBytes({ bytes, easy, high, two, three, four, wide }: ByteCounts, into: Tally): void {
  add(into, EASY, easy);
  add(into, HARD, bytes - high - easy);
  add(into, TWO_BYTES, two - three);
  add(into, THREE_BYTES, three - wide);
  add(into, WIDE, wide - four);
  add(into, HALF, four * 2);
}

function tallyChars(text: string, from: number, to: number, into: Tally): void {
  let easy = 0;
  let hard = 0;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) add(into, classOf(code), 1);
    else if ((code >= 0x61 && code <= 0x7a) || code === 0x20) easy++;
    else hard++;
  }
  add(into, EASY, easy);
  add(into, HARD, hard);
}

function add(into: Tally, kind: number, count: number): void {
  into[kind] = (into[kind] ?? 0) + count;
}

export function addTally(into: Tally, other: Tally): void {
  for (let kind = EASY; kind <= HALF; kind++) add(into, kind, other[kind] ?? 0);
}

/** Upper weights hold for byte-level tokenizers: a character is at most as many tokens as it has bytes of UTF-8. */
export function upperOf(tally: Tally): number {
  const easy = tally[EASY] ?? 0;
  const hard = tally[HARD] ?? 0;
  const twoBytes = tally[TWO_BYTES] ?? 0;
  const threeBytes = (tally[THREE_BYTES] ?? 0) + (tally[WIDE] ?? 0);
  const halves = tally[HALF] ?? 0;
  return Math.ceil(easy * 0.75) + hard + twoBytes * 2 + threeBytes * 3 + halves * 2;
}

export function tokensOf(tally: Tally): TokenCount {
  const easy = tally[EASY] ?? 0;
  const hard = tally[HARD] ?? 0;
  const letters = (tally[TWO_BYTES] ?? 0) + (tally[THREE_BYTES] ?? 0);
  const wide = tally[WIDE] ?? 0;
  const halves = tally[HALF] ?? 0;
  return {
    upper: upperOf(tally),
    estimate: Math.ceil(
      easy * EASY_WEIGHT + hard * HARD_WEIGHT + letters * LETTER_WEIGHT + wide * WIDE_WEIGHT + halves * HALF_WEIGHT,
    ),
    lower: Math.floor((easy + hard) / 16 + letters * 0.1 + wide * 0.3 + halves * 0.2),
  };
}

/** Of a character beyond ASCII. */
function classOf(code: number): number {
  if (code < 0x800) return TWO_BYTES;
  if (code < WIDE_FROM) return THREE_BYTES;
  return code >= 0xd800 && code <= 0xdfff ? HALF : WIDE;
}
