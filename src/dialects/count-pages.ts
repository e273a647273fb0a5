// How many pages a PDF has, as far as its bytes tell. It is not read as a viewer would: page objects are counted where they
// stand, in clear or in a packed run of objects, and whatever may hide more of them makes the count unknown.

import { inflateSync } from 'node:zlib';

/** No context holds so many pages. What has more marks than these is not looked at to its end. */
const MOST_MARKS = 2_000;
/** What all packed objects of one file may come to. */
const MOST_UNPACKED_BYTES = 2 * 1024 * 1024;
/** From the mark of packed objects to where they begin. */
const MOST_HEAD_CHARS = 1_000;

/** A page object, packed objects, the count of a tree of pages, a cipher, and what may be a letter spelt as a code. */
const MARK = /\/(?:Type[\s\0]*\/(?:(Page)(?![A-Za-z])|(ObjStm))|Count[\s\0]+(\d{1,9})|Encrypt)|(#[4-7])/g;
const NAME_BEGUN = /\/[A-Za-z]{0,8}$/;
const NAME_CHARS = 9;
const STREAM = /(?<=>>\s{0,9})stream\r?\n/;
const PLAIN_FLATE = /\/Filter[\s[]*\/FlateDecode(?![A-Za-z])(?![\s\S]*\/DecodeParms)/;

/** Undefined if nobody can tell. */
export function countPages(base64: string): number | undefined {
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString('latin1');
  const found = { marks: 0, objects: 0, told: 0 };
  const packedAt = countMarks(text, found);
  if (!packedAt) return undefined;
  let left = MOST_UNPACKED_BYTES;
  for (const at of packedAt) {
    const unpacked = unpack(bytes, text, at, left);
    // Packed objects are in no other packed objects.
    if (unpacked === undefined || countMarks(unpacked, found)?.length !== 0) return undefined;
    left -= unpacked.length;
  }
  return found.objects === 0 ? undefined : Math.max(found.objects, found.told);
}

/** Where packed objects are; undefined if there is something that nobody can see through. */
function countMarks(text: string, found: { marks: number; objects: number; told: number }): number[] | undefined {
  const packedAt: number[] = [];
  for (const { 1: page, 2: packed, 3: count, 4: code, index } of text.matchAll(MARK)) {
    if (++found.marks > MOST_MARKS) return undefined;
    if (page !== undefined) found.objects++;
    else if (packed !== undefined) packedAt.push(index);
    else if (count !== undefined) found.told = Math.max(found.told, Number(count));
    else if (code === undefined || NAME_BEGUN.test(text.slice(Math.max(0, index - NAME_CHARS), index))) {
      return undefined;
    }
  }
  return packedAt;
}

/** The objects whose description has its mark there. */
function unpack(bytes: Buffer, text: string, markAt: number, most: number): string | undefined {
  const begin = text.lastIndexOf('obj', markAt);
  const rest = text.slice(markAt, markAt + MOST_HEAD_CHARS);
  const stream = STREAM.exec(rest);
  if (begin < 0 || !stream || !PLAIN_FLATE.test(text.slice(begin, markAt + stream.index))) return undefined;
  const from = markAt + stream.index + stream[0].length;
  const to = text.indexOf('endstream', from);
  if (to < 0 || most <= 0) return undefined;
  try {
    return inflateSync(bytes.subarray(from, to), { maxOutputLength: most }).toString('latin1');
  } catch {
    return undefined;
  }
}
