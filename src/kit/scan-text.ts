// The scanner of bytes, for texts: it is made when the first long text comes, and there is one for all of them.

import { type ByteCounts, type ByteScanner, plainScanner, ROOM_CHARS, vectorScanner } from './scan-bytes.ts';

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
  return count(ENCODER.encodeInto(text, room).written);
}

/** Where the string ends whose inside begins with this text: the place of its quote, -1 if it is not in it. */
export function findStringEnd(text: string): number {
  const { room, count, findEnd } = scannerOf();
  const bytes = ENCODER.encodeInto(text, room).written;
  const end = findEnd(bytes);
  if (end >= bytes) return -1;
  if (bytes === text.length) return end;
  const { high, two, four } = count(end);
  return end - high + two + four;
}
