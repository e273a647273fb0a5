// Estimates the tokens of media from their base64, without decoding all of it. Models count seconds of audio, pages of
// a PDF and pixels of an image; counting bytes would make a minute of speech a book.

import type { ImageSize } from './image-size.ts';
import { PER_IMAGE } from './tokens.ts';
import { MIN_WAVE_BYTES_PER_SECOND } from './wave-head.ts';

/** As in Claude and GPT-5 for images that need no scaling. */
const PIXELS_PER_TOKEN = 750;
const MIN_IMAGE_TOKENS = 85;
const MAX_IMAGE_TOKENS = 1_600;

export function imageTokens(size: ImageSize | undefined): number {
  if (!size) return PER_IMAGE.estimate;
  const tokens = Math.ceil((size.width * size.height) / PIXELS_PER_TOKEN);
  return Math.min(Math.max(tokens, MIN_IMAGE_TOKENS), MAX_IMAGE_TOKENS);
}

/** Between OpenAI's 10 and Gemini's 32. */
const TOKENS_PER_SECOND = 20;
/** 128 kbit/s, as in MP3; better compressed audio has fewer bytes and counts less. */
const PACKED_BYTES_PER_SECOND = 16_000;
/** 24,000 samples of 16 bits, without a header. */
const PLAIN_BYTES_PER_SECOND = 48_000;

/** `format`: as named by the client. */
export function audioTokens(base64: string, format: unknown): number {
  const perSecond = waveBytesPerSecond(base64) ?? (isPlain(format) ? PLAIN_BYTES_PER_SECOND : PACKED_BYTES_PER_SECOND);
  return Math.ceil((bytesOf(base64) * TOKENS_PER_SECOND) / perSecond);
}

/** Above Gemini's 32, the highest. */
const MAX_TOKENS_PER_SECOND = 50;

/**
 * An upper bound for a WAV: its duration is bounded by its bytes at the lowest accepted rate, whatever its header
 * claims.
 */
export function mostWaveTokens(base64: string): number {
  return Math.ceil((bytesOf(base64) * MAX_TOKENS_PER_SECOND) / MIN_WAVE_BYTES_PER_SECOND);
}

function isPlain(format: unknown): boolean {
  return typeof format === 'string' && /^pcm/i.test(format);
}

const WAVE_HEAD = /^RIFF[\s\S]{4}WAVEfmt /;
const WAVE_HEAD_BYTES = 36;
/** Uncompressed formats: integers, floats, and either with an extended header. */
const PLAIN_WAVES: ReadonlySet<number> = new Set([1, 3, 0xfffe]);
/** 48,000 samples of 16 bits in two channels; higher rates are counted as this. */
const MAX_BYTES_PER_SECOND = 192_000;

/** Computed from the fields that decoders use. The header's own rate field may be wrong. */
function waveBytesPerSecond(base64: string): number | undefined {
  const head = Buffer.from(base64.slice(0, 2 * WAVE_HEAD_BYTES), 'base64');
  if (head.length < WAVE_HEAD_BYTES || !WAVE_HEAD.test(head.toString('latin1'))) return undefined;
  if (!PLAIN_WAVES.has(head.readUInt16LE(20))) return undefined;
  const [channels, samples, bits] = [head.readUInt16LE(22), head.readUInt32LE(24), head.readUInt16LE(34)];
  return Math.min((channels * samples * bits) / 8, MAX_BYTES_PER_SECOND) || undefined;
}

/** A page has about 2,000 tokens: 5 to 10 KB as text, 100 KB if scanned. Small files are taken for text. */
const TEXT_BYTES_PER_TOKEN = 12;
const MAX_TEXT_TOKENS = 20_000;
const SCAN_BYTES_PER_TOKEN = 48;

/** For PDF and other compressed files. */
export function packedTokens(base64: string): number {
  const bytes = bytesOf(base64);
  const asText = Math.min(bytes / TEXT_BYTES_PER_TOKEN, MAX_TEXT_TOKENS);
  return Math.ceil(Math.max(asText, bytes / SCAN_BYTES_PER_TOKEN));
}

/** About four letters per token of prose. */
export function textTokens(base64: string): number {
  return Math.ceil(bytesOf(base64) / 4);
}

function bytesOf(base64: string): number {
  return (base64.length * 3) / 4;
}
