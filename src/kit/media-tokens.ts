// About how many tokens media are, by what their base64 tells without being decoded whole. Models count the seconds of
// audio, the pages of a PDF and the pixels of an image; bytes alone would make a minute of speech a book.

import type { ImageSize } from './image-size.ts';
import { PER_IMAGE } from './tokens.ts';
import { LEAST_WAVE_BYTES_PER_SECOND } from './wave-head.ts';

/** As Claude and GPT-5 count those that need not be made smaller. */
const PIXELS_PER_TOKEN = 750;
const LEAST_IMAGE_TOKENS = 85;
const MOST_IMAGE_TOKENS = 1_600;

export function imageTokens(size: ImageSize | undefined): number {
  if (!size) return PER_IMAGE.estimate;
  const tokens = Math.ceil((size.width * size.height) / PIXELS_PER_TOKEN);
  return Math.min(Math.max(tokens, LEAST_IMAGE_TOKENS), MOST_IMAGE_TOKENS);
}

/** Between the 10 of OpenAI and the 32 of Gemini. */
const TOKENS_PER_SECOND = 20;
/** 128 kbit/s, as of an MP3; what is packed better is short in bytes, and counts for less. */
const PACKED_BYTES_PER_SECOND = 16_000;
/** 24,000 samples of 16 bits, without a head that would say so. */
const PLAIN_BYTES_PER_SECOND = 48_000;

/** `format` is what the client calls it. */
export function audioTokens(base64: string, format: unknown): number {
  const perSecond = waveBytesPerSecond(base64) ?? (isPlain(format) ? PLAIN_BYTES_PER_SECOND : PACKED_BYTES_PER_SECOND);
  return Math.ceil((bytesOf(base64) * TOKENS_PER_SECOND) / perSecond);
}

/** Above the 32 of Gemini, which counts most. */
const MOST_TOKENS_PER_SECOND = 50;

/** Of a WAV: it is no longer than its bytes are at the lowest rate that is accepted, whatever its head claims. */
export function mostWaveTokens(base64: string): number {
  return Math.ceil((bytesOf(base64) * MOST_TOKENS_PER_SECOND) / LEAST_WAVE_BYTES_PER_SECOND);
}

function isPlain(format: unknown): boolean {
  return typeof format === 'string' && /^pcm/i.test(format);
}

const WAVE_HEAD = /^RIFF[\s\S]{4}WAVEfmt /;
const WAVE_HEAD_BYTES = 36;
/** Samples as they are: whole numbers, fractions, and either with more said of them. */
const PLAIN_WAVES: ReadonlySet<number> = new Set([1, 3, 0xfffe]);
/** 48,000 samples of 16 bits in two channels: who says more is counted as if it were this. */
const MOST_BYTES_PER_SECOND = 192_000;

/** By what a decoder goes by, too. The head also says it outright, but nobody who plays it looks there: it may say anything. */
function waveBytesPerSecond(base64: string): number | undefined {
  const head = Buffer.from(base64.slice(0, 2 * WAVE_HEAD_BYTES), 'base64');
  if (head.length < WAVE_HEAD_BYTES || !WAVE_HEAD.test(head.toString('latin1'))) return undefined;
  if (!PLAIN_WAVES.has(head.readUInt16LE(20))) return undefined;
  const [channels, samples, bits] = [head.readUInt16LE(22), head.readUInt32LE(24), head.readUInt16LE(34)];
  return Math.min((channels * samples * bits) / 8, MOST_BYTES_PER_SECOND) || undefined;
}

/** A page has some 2,000 tokens: in 5 to 10 KB if it is text, in 100 KB if it was scanned. What is small is taken for text. */
const TEXT_BYTES_PER_TOKEN = 12;
const MOST_TEXT_TOKENS = 20_000;
const SCAN_BYTES_PER_TOKEN = 48;

/** Of a PDF, and of every other file that is packed. */
export function packedTokens(base64: string): number {
  const bytes = bytesOf(base64);
  const asText = Math.min(bytes / TEXT_BYTES_PER_TOKEN, MOST_TEXT_TOKENS);
  return Math.ceil(Math.max(asText, bytes / SCAN_BYTES_PER_TOKEN));
}

/** A token of prose has about four letters. */
export function textTokens(base64: string): number {
  return Math.ceil(bytesOf(base64) / 4);
}

function bytesOf(base64: string): number {
  return (base64.length * 3) / 4;
}
