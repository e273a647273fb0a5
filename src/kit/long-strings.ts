// Long strings of a request that most often nobody here reads: they are checked and counted where they stand, and parsed
// when somebody asks for them. To whoever reads the value they are strings like any other.

import { isUndecided, scanString, skipShort } from './skip-string.ts';
import type { Tally } from './tokens.ts';

/** A string of a JSON text, its quotes included. */
export interface LongString {
  start: number;
  end: number;
  /** Of its inside, as it stands in the text. */
  tally: Tally;
}

/** Shorter ones are parsed at once: that costs less than to put them off. */
const LONG_CHARS = 8 * 1024;

/** The offset after a string that opens at `start`, or -1; if it is long, and valid beyond doubt, it is added to `into`. */
export function skipLongString(text: string, start: number, into: LongString[]): number {
  const short = skipShort(text, start);
  if (!isUndecided(short) && short - start < LONG_CHARS) return short;
  const { end, tally } = scanString(text, start);
  if (tally && end - start >= LONG_CHARS) into.push({ start, end, tally });
  return end;
}

/** Stands in for a long string. In a valid text it can be only as this escape. */
const MARK = '\u0001';
const ESCAPED_MARK = '\\u0001';

/** Like JSON.parse, but strings that are members of objects may be left for later. */
export function parseAround(text: string, strings: readonly LongString[]): unknown {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of strings) {
    pieces.push(text.slice(at, start));
    at = end;
  }
  pieces.push(text.slice(at));
  if (pieces.some((piece) => piece.includes(ESCAPED_MARK))) return JSON.parse(text);
  const value: unknown = JSON.parse(
    pieces.reduce((whole, piece, index) => `${whole}"${ESCAPED_MARK}${index - 1}"${piece}`),
  );
  putOff(value, (mark) => {
    const { start = 0, end = 0 } = strings[Number(mark.slice(MARK.length))] ?? {};
    return text.slice(start, end);
  });
  return value;
}

/** Every member that is a mark becomes one that parses its literal when it is first asked for. */
function putOff(value: unknown, literalOf: (mark: string) => string): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) putOff(item, literalOf);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== 'string') putOff(member, literalOf);
    else if (member.startsWith(MARK)) defineLate(value, name, literalOf(member));
  }
}

function defineLate(object: object, name: string, literal: string): void {
  const rest = { enumerable: true, configurable: true };
  Object.defineProperty(object, name, {
    ...rest,
    get() {
      const value: unknown = JSON.parse(literal);
      Object.defineProperty(object, name, { ...rest, value, writable: true });
      return value;
    },
  });
}

/** Whether a member is a string, without parsing one that was left for later. */
export function isStringAt(object: object, name: string): boolean {
  const property = Object.getOwnPropertyDescriptor(object, name);
  return property?.get !== undefined || typeof property?.value === 'string';
}
