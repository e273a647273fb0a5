// Long strings of a request that most often nobody here reads: they are checked and counted in the bytes they came in, and
// become texts when somebody asks for them. To whoever reads the value they are strings like any other.

import { isUtf8 } from 'node:buffer';
import { assert } from '../assert.ts';
import { newTally, type Tally, tallyBytes } from '../tokens.ts';
import { bodyRoom, charsOf, type FoundString, MOST_SCANNED_BYTES, scanBody } from './scan/scan-text.ts';
import { isSpace } from './scan/skip-space.ts';

/** A string of a request, its quotes included. */
export interface LongString {
  literal: Uint8Array<ArrayBuffer>;
  /** Of the literal, in UTF-16. */
  chars: number;
  /** Of its inside, as it stands in the request. */
  tally: Tally;
  /** Where its mark stands. */
  start: number;
  end: number;
}

/** A request's text with a mark in place of every long string. */
export interface Outline {
  text: string;
  strings: readonly LongString[];
}

/** Shorter ones are parsed at once: that costs less than to put them off. */
const LONG_BYTES = 2 * 1024;

/** Stands in for a long string. In a valid text it can be only as this escape. */
const MARK = '\u0001';
const ESCAPED_MARK = '\\u0001';
const OPENING = `"${ESCAPED_MARK}`;
/** No body has room for more. */
const MARKS = Array.from({ length: MOST_SCANNED_BYTES / LONG_BYTES }, (_, index) => {
  const mark = `${OPENING}${index}"`;
  return { mark, bytes: Buffer.from(mark) };
});

const COLON = 0x3a;
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Undefined if nothing is long, or something is odd that the text must be looked at for. An outline is valid JSON if and
 * only if the whole is: what opens a string there would not stand at the end of another one here.
 */
export function outlineOf(bytes: Uint8Array<ArrayBuffer>): Outline | undefined {
  if (bytes.length < LONG_BYTES || bytes.length > MOST_SCANNED_BYTES) return undefined;
  const found = findLong(bytes);
  const text = found.length > 0 ? writeOutline(bytes, found) : undefined;
  if (text === undefined) return undefined;
  const strings: LongString[] = [];
  let at = 0;
  for (const { start, end, counts } of found) {
    at = text.indexOf(ESCAPED_MARK, at) - 1;
    const { mark } = markAt(strings.length);
    if (!text.startsWith(mark, at)) return undefined;
    const literal = bytes.subarray(start, end);
    const tally = newTally();
    tallyBytes(counts, tally);
    strings.push({ literal, chars: charsOf(counts) + 2, tally, start: at, end: at + mark.length });
    at += mark.length;
  }
  return text.includes(ESCAPED_MARK, at) ? undefined : { text, strings };
}

function findLong(bytes: Uint8Array): FoundString[] {
  return scanBody(bytes, LONG_BYTES).filter((string) => mayWait(string, bytes));
}

/** The bytes with marks in place of these strings, as a text. */
function writeOutline(bytes: Uint8Array, strings: readonly FoundString[]): string | undefined {
  const written = bodyRoom();
  let length = 0;
  let at = 0;
  const write = (part: Uint8Array) => {
    written.set(part, length);
    length += part.length;
  };
  for (const [index, { start, end }] of strings.entries()) {
    write(bytes.subarray(at, start));
    write(markAt(index).bytes);
    at = end;
  }
  write(bytes.subarray(at));
  try {
    return DECODER.decode(written.subarray(0, length));
  } catch {
    return undefined;
  }
}

function markAt(index: number) {
  const mark = MARKS[index];
  assert(mark, 'there is a mark for every long string');
  return mark;
}

function mayWait({ start, end, counts }: FoundString, bytes: Uint8Array): boolean {
  const isValid = counts.isPlain && (counts.high === 0 || isUtf8(bytes.subarray(start, end)));
  return isValid && isAfterColon(bytes, start);
}

/** Only what is a member's value may wait: a name may not, and an item of a list has no place to wait in. */
function isAfterColon(bytes: Uint8Array, start: number): boolean {
  let at = start - 1;
  while (isSpace(bytes[at])) at--;
  return bytes[at] === COLON;
}

/** What JSON.parse makes of the whole, but long strings are left for later. */
export function parseOutline({ text, strings }: Outline): unknown {
  const value: unknown = JSON.parse(text);
  putOff(value, strings);
  return value;
}

/** Every member that is a mark becomes one that parses its literal when it is first asked for. */
function putOff(value: unknown, strings: readonly LongString[]): void {
  if (Array.isArray(value)) for (const item of value) putOff(item, strings);
  else if (isFields(value)) {
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (typeof member !== 'string') putOff(member, strings);
      else if (member.startsWith(MARK)) defineLate(value, name, strings[Number(member.slice(MARK.length))]);
    }
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function defineLate(object: object, name: string, string: LongString | undefined): void {
  const rest = { enumerable: true, configurable: true };
  HOLDERS.add(object);
  Object.defineProperty(object, name, {
    ...rest,
    get() {
      const value: unknown = JSON.parse(DECODER.decode(literalOf(string)));
      Object.defineProperty(object, name, { ...rest, value, writable: true });
      return value;
    },
  });
}

/** Whoever comes after the request was dropped is told so. */
function literalOf(string: LongString | undefined): Uint8Array<ArrayBuffer> {
  assert(string !== undefined && string.literal.length > 0, 'a request is read before it is dropped');
  return string.literal;
}

/** What has a member that was left for later. */
const HOLDERS = new WeakSet<object>();

/** Whether a member is a string, without parsing one that was left for later. */
export function isStringAt(object: Readonly<Record<string, unknown>>, name: string): boolean {
  if (!HOLDERS.has(object)) return typeof object[name] === 'string';
  const property = Object.getOwnPropertyDescriptor(object, name);
  return property?.get !== undefined || typeof property?.value === 'string';
}

/** A text in which marks stand, with the strings that they stand for. */
export function fillMarks(text: string, strings: readonly LongString[]): Uint8Array<ArrayBuffer> {
  const most = strings.reduce((sum, { literal }) => sum + literal.length, Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafeSlow(most);
  let written = 0;
  let at = 0;
  const write = (piece: string) => {
    written += bytes.write(piece, written);
  };
  for (let mark = text.indexOf(OPENING); mark >= 0; mark = text.indexOf(OPENING, at)) {
    const end = text.indexOf('"', mark + OPENING.length);
    const literal = literalOf(strings[Number(text.slice(mark + OPENING.length, end))]);
    write(text.slice(at, mark));
    bytes.set(literal, written);
    written += literal.length;
    at = end + 1;
  }
  write(text.slice(at));
  return bytes.subarray(0, written);
}
