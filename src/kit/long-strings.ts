// Long strings of a request that most often nobody here reads: they are checked and counted in the bytes they came in, and
// become texts when somebody asks for them. To whoever reads the value they are strings like any other.

import { isUtf8 } from 'node:buffer';
import { assert } from './assert.ts';
import { charsOf, MOST_SCANNED_BYTES, scanBody } from './scan-text.ts';
import { newTally, type Tally, tallyBytes } from './tokens.ts';

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
const LONG_BYTES = 8 * 1024;

/** Stands in for a long string. In a valid text it can be only as this escape. */
const MARK = '\u0001';
const ESCAPED_MARK = '\\u0001';
const OPENING = `"${ESCAPED_MARK}`;

const COLON = 0x3a;
const PART = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Undefined if nothing is long, or something is odd that the text must be looked at for. An outline is valid JSON if and
 * only if the whole is: what opens a string there would not stand at the end of another one here.
 */
export function outlineOf(bytes: Uint8Array<ArrayBuffer>): Outline | undefined {
  if (bytes.length < LONG_BYTES || bytes.length > MOST_SCANNED_BYTES) return undefined;
  const strings: LongString[] = [];
  let text = '';
  let at = 0;
  for (const { start, end, counts } of scanBody(bytes, LONG_BYTES)) {
    const literal = bytes.subarray(start, end);
    const isValid = counts.isPlain && (counts.high === 0 || isUtf8(literal));
    if (!isValid || !isAfterColon(bytes, start)) continue;
    const before = decodePart(bytes.subarray(at, start));
    if (before === undefined || before.includes(ESCAPED_MARK)) return undefined;
    text += before;
    const mark = `${OPENING}${strings.length}"`;
    const tally = newTally();
    tallyBytes(counts, tally);
    strings.push({ literal, chars: charsOf(counts) + 2, tally, start: text.length, end: text.length + mark.length });
    text += mark;
    at = end;
  }
  if (strings.length === 0) return undefined;
  const rest = decodePart(bytes.subarray(at));
  return rest === undefined || rest.includes(ESCAPED_MARK) ? undefined : { text: text + rest, strings };
}

/** Only what is a member's value may wait: a name may not, and an item of a list has no place to wait in. */
function isAfterColon(bytes: Uint8Array, start: number): boolean {
  let at = start - 1;
  while (isSpace(bytes[at])) at--;
  return bytes[at] === COLON;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function decodePart(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  try {
    return PART.decode(bytes);
  } catch {
    return undefined;
  }
}

/** What JSON.parse makes of the whole, but long strings are left for later. */
export function parseOutline({ text, strings }: Outline): unknown {
  const value: unknown = JSON.parse(text);
  putOff(value, strings);
  return value;
}

/** Every member that is a mark becomes one that parses its literal when it is first asked for. */
function putOff(value: unknown, strings: readonly LongString[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) putOff(item, strings);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== 'string') putOff(member, strings);
    else if (member.startsWith(MARK)) defineLate(value, name, strings[Number(member.slice(MARK.length))]);
  }
}

function defineLate(object: object, name: string, string: LongString | undefined): void {
  const rest = { enumerable: true, configurable: true };
  Object.defineProperty(object, name, {
    ...rest,
    get() {
      const value: unknown = JSON.parse(PART.decode(literalOf(string)));
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

/** Whether a member is a string, without parsing one that was left for later. */
export function isStringAt(object: object, name: string): boolean {
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
