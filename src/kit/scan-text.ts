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
  return count(ENCODER.encodeInto(text, room).written, false);
}

/** Of the inside of a JSON string that begins with this text; `isOver` if the quote that ends it is in the text, too. */
export function countString(text: string): ByteCounts & { isOver: boolean } {
  const { room, count } = scannerOf();
  const { written } = ENCODER.encodeInto(text, room);
  const counts = count(written, true);
  return { ...counts, isOver: counts.bytes < written };
}

/** In UTF-16. */
export function charsOf({ bytes, high, two, four }: ByteCounts): number {
  return bytes - high + two + four;
}
