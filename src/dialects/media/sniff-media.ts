// Which rule sizes the data of a part. The bytes decide, because any field can carry any file and labels are the client's
// choice. What one format reads as an image may be a document to another, so a size is taken from the bytes only where
// label and file name agree with them; everything else is open.

import { isUtf8 } from 'node:buffer';
import { isPlainWave } from '../../kit/wave-head.ts';
import { readDataHead } from './read-media.ts';

/**
 * `image`: one picture. `text`: UTF-8, at most a token for each byte. `wave`: samples that are not compressed. `open`: the
 * bytes bound nothing, as of compressed audio, video, archives, PDFs, and kinds that are not known here.
 */
export type MediaKind = 'image' | 'text' | 'wave' | 'open';

export interface MediaClaims {
  mediaType?: unknown;
  fileName?: unknown;
}

/** PDF readers accept a header this far into the file. */
const HEAD_BYTES = 1_024;
const HEAD_CHARS = Math.ceil(HEAD_BYTES / 3) * 4;

/** `data`: base64, or a `data:` address. */
export function sniffMedia(data: string, { mediaType, fileName }: MediaClaims = {}): MediaKind {
  const address = readDataHead(data);
  const labels = [address?.mediaType, mediaType].map(normalLabel).filter((label) => !GENERIC_LABELS.has(label));
  const ending = endingOf(fileName);
  if (address && !address.isBase64) return isTextAddress(data, address.chars, labels, ending) ? 'text' : 'open';
  const from = address?.chars ?? 0;
  const head = decodeHead(data, from);
  if (!head || head.length === 0 || head.subarray(0, HEAD_BYTES).includes('%PDF-')) return 'open';
  const whole = () => decodeWhole(data.slice(from));
  if (isStillImage(head, whole)) return isNamed(IMAGE, labels, ending) ? 'image' : 'open';
  if (isPlainWave(head)) return isNamed(WAVE, labels, ending) ? 'wave' : 'open';
  return mayBeText(labels, ending) && isText(whole()) ? 'text' : 'open';
}

/** Labels without meaning. */
const GENERIC_LABELS: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);
const TEXT_LABEL =
  /^(?:text\/|image\/svg|application\/(?:(?:x-)?(?:json|ndjson|yaml|toml|javascript|typescript|python|sh|sql)|xml)\b|application\/[\w.-]+\+(?:json|xml)$)/;
/** Endings of packed files, which programs unpack whatever the bytes look like. */
const PACKED_ENDING =
  /^(?:pdf|ps|eml|msg|mht|mhtml|epub|zip|docx?|docm|dotx?|rtf|od[a-z]|xl[a-z]+|pp[a-z]+|pages|numbers|key|mp\d|m4\w|amr|mov|avi|mkv|webm|ogg|opus|flac|aac)$/;
const IMAGE = { label: /^image\/(?!svg)/, ending: /^(?:png|jpe?g|jfif|gif|webp|bmp|heic|heif|avif)$/ };
const WAVE = { label: /^audio\//, ending: /^wave?$/ };
const MAX_ENDING_CHARS = 20;

function normalLabel(label: unknown): string {
  const text = typeof label === 'string' ? label : '';
  return (text.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Undefined if the name has none. */
function endingOf(fileName: unknown): string | undefined {
  if (typeof fileName !== 'string') return undefined;
  return /\.(\w+)\s*$/.exec(fileName.slice(-MAX_ENDING_CHARS))?.[1]?.toLowerCase();
}

function isNamed(kind: typeof IMAGE, labels: readonly string[], ending: string | undefined): boolean {
  return labels.every((label) => kind.label.test(label)) && (ending === undefined || kind.ending.test(ending));
}

function mayBeText(labels: readonly string[], ending: string | undefined): boolean {
  return labels.every((label) => TEXT_LABEL.test(label)) && !(ending !== undefined && PACKED_ENDING.test(ending));
}

const BASE64 = /^[\w+/-]*={0,2}$/;

/** Undefined if decoders may disagree about it. */
function decodeHead(data: string, from: number): Buffer | undefined {
  const text = data.slice(from, from + HEAD_CHARS).replace(/\s+/g, '');
  return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Empty if it is not base64. */
function decodeWhole(base64: string): Buffer {
  const alphabet = base64.includes('-') || base64.includes('_') ? 'base64url' : 'base64';
  try {
    const bytes = Uint8Array.fromBase64(base64, { alphabet });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  } catch {
    return Buffer.alloc(0);
  }
}

/** A byte of zero is in every binary container that is valid UTF-8 otherwise. */
function isText(bytes: Buffer): boolean {
  return bytes.length > 0 && isUtf8(bytes) && !bytes.includes(0);
}

/** Text that is written out in the address; escapes may spell any byte. */
function isTextAddress(data: string, from: number, labels: readonly string[], ending: string | undefined): boolean {
  if (!mayBeText(labels, ending)) return false;
  const head = data.slice(from, from + 3 * HEAD_BYTES);
  return !/%(?:25)?(?:P|%50)(?:D|%44)(?:F|%46)|%00/i.test(head);
}

type ImageFormat = Record<'hasFormat' | 'isStill', (head: Buffer, whole: () => Buffer) => boolean>;

const always = () => true;

const FORMATS: readonly ImageFormat[] = [
  { hasFormat: (head) => startsWith(head, '\x89PNG\r\n\x1a\n'), isStill: (head) => !head.includes('acTL') },
  { hasFormat: (head) => startsWith(head, '\xff\xd8\xff'), isStill: always },
  {
    hasFormat: (head) => startsWith(head, 'RIFF') && at(head, 8, 'WEBPVP8'),
    isStill: (head) => !(at(head, 12, 'VP8X') && (head.readUInt8(20) & WEBP_ANIMATED) !== 0),
  },
  {
    hasFormat: (head) => startsWith(head, 'GIF87a') || startsWith(head, 'GIF89a'),
    isStill: (_, whole) => countFrames(whole()) === 1,
  },
  { hasFormat: isBitmap, isStill: always },
  // The same boxes hold videos. Those have a table of their samples, whatever the first box calls them.
  {
    hasFormat: (head) => at(head, 4, 'ftyp') && STILL_BRANDS.has(head.toString('latin1', 8, 12)),
    isStill: (_, whole) => !MOVIE_BOXES.some((box) => whole().includes(box)),
  },
];

const WEBP_ANIMATED = 0x02;
const STILL_BRANDS: ReadonlySet<string> = new Set(['heic', 'heix', 'heim', 'heis', 'mif1', 'avif']);
const MOVIE_BOXES = ['moov', 'moof'];
/** Longer than the part of any header that is read here. */
const MIN_BYTES = 24;

/** `whole` is called only for formats whose head does not decide it. */
function isStillImage(head: Buffer, whole: () => Buffer): boolean {
  if (head.length < MIN_BYTES) return false;
  const format = FORMATS.find(({ hasFormat }) => hasFormat(head, whole));
  return format?.isStill(head, whole) ?? false;
}

function startsWith(bytes: Buffer, text: string): boolean {
  return at(bytes, 0, text);
}

function at(bytes: Buffer, place: number, text: string): boolean {
  return bytes.toString('latin1', place, place + text.length) === text;
}

const BITMAP_HEADERS: ReadonlySet<number> = new Set([12, 40, 52, 56, 108, 124]);

/** Two letters alone may begin any text. */
function isBitmap(head: Buffer): boolean {
  return startsWith(head, 'BM') && head.readUInt32LE(6) === 0 && BITMAP_HEADERS.has(head.readUInt32LE(14));
}

const EXTENSION = 0x21;
const FRAME = 0x2c;
const TRAILER = 0x3b;
const HAS_COLORS = 0x80;

/** Frames of a GIF, up to two; 0 if its blocks cannot be followed to the end. */
function countFrames(bytes: Buffer): number {
  let frames = 0;
  let place = 13 + colorBytes(bytes[10] ?? 0);
  while (place < bytes.length) {
    switch (bytes[place]) {
      case TRAILER:
        return frames;
      case EXTENSION:
        place = skipBlocks(bytes, place + 2);
        break;
      case FRAME:
        frames++;
        if (frames > 1) return frames;
        place = skipBlocks(bytes, place + 11 + colorBytes(bytes[place + 9] ?? 0));
        break;
      default:
        return 0;
    }
  }
  return 0;
}

function colorBytes(flags: number): number {
  return (flags & HAS_COLORS) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Behind the block of no bytes, which ends them. */
function skipBlocks(bytes: Buffer, from: number): number {
  let place = from;
  for (let size = bytes[place]; size !== undefined; size = bytes[place]) {
    place += 1 + size;
    if (size === 0) break;
  }
  return place;
}
