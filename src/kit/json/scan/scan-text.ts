// The scanner of bytes, for texts: it is made when the first long text comes, and there is one for all of them.

import {
  type ByteCounts,
  type ByteScanner,
  plainScanner,
  ROOM_BYTES,
  ROOM_CHARS,
  vectorScanner,
} from './scan-bytes.ts';

/** The longest text that is scanned at one go. */
export const MOST_SCANNED_CHARS = ROOM_CHARS;

const ENCODER = new TextEncoder();
let scanner: ByteScanner | undefined;

function scannerOf(): ByteScanner {
  scanner ??= vectorScanner() ?? plainScanner();
  return scanner;
}

/** Of a text without halves of pairs. */
export function countBytes(text: string): ByteCounts {
  const { room, count } = scannerOf();
  return count(0, ENCODER.encodeInto(text, room).written, false);
}

/** Of the inside of a JSON string that begins with this text; `isOver` if the quote that ends it is in the text, too. */
export function countString(text: string): ByteCounts & { isOver: boolean } {
  const { room, count } = scannerOf();
  const { written } = ENCODER.encodeInto(text, room);
  const counts = count(0, written, true);
  return { ...counts, isOver: counts.bytes < written };
}

/** The longest body that is scanned at one go. */
export const MOST_SCANNED_BYTES = ROOM_BYTES;

export interface FoundString {
  /** From its opening quote to after the one that ends it. */
  start: number;
  end: number;
  /** Of its inside. */
  counts: ByteCounts;
}

/** The strings of a JSON text that are at least so long. */
export function scanBody(bytes: Uint8Array, least: number): FoundString[] {
  const { room, count, findLong } = scannerOf();
  const { length } = bytes;
  const found: FoundString[] = [];
  room.set(bytes);
  for (let start = findLong(0, length, least); start < length; ) {
    const counts = count(start + 1, length, true);
    const end = start + counts.bytes + 2;
    if (end > length) break;
    found.push({ start, end, counts });
    start = findLong(end, length, least);
  }
  return found;
}

/** Where a body was scanned: free to be written on. */
export function bodyRoom(): Uint8Array {
  return scannerOf().room;
}

/** In UTF-16. */
export function charsOf({ bytes, high, two, four }: ByteCounts): number {
  return bytes - high + two + four;
}
