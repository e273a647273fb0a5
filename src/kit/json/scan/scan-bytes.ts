// One pass over the bytes of a text, sixteen at a time: which characters there are, and where a JSON string ends. A prompt
// has a hundred thousand characters, and a look at each of them one by one would be most of what a request costs.

import { COMMON_LETTERS, isPair } from './letter-pairs.ts';
import {
  ADD,
  AND,
  AT_LEAST,
  BELOW,
  BITS,
  BYTES_ADD,
  BYTES_AT_LEAST,
  BYTES_EQUAL,
  BYTES_LEAST,
  BYTES_PICK,
  CHOOSE,
  COUNT_ONES,
  type Code,
  EQUAL,
  get,
  LOAD_BYTE,
  LOAD_VECTOR,
  loop,
  NOT_EQUAL,
  number,
  OR,
  RETURN,
  type Routine,
  SHIFT_DOWN,
  SHIFT_UP,
  SIGNED_BYTES_BELOW,
  SUBTRACT,
  set,
  sixteen,
  storeAt,
  TRAILING_ZEROS,
  VECTOR_AND,
  VECTOR_CHOOSE,
  VECTOR_OR,
  VECTOR_WITHOUT,
  vectorOf,
  wasmModule,
  when,
} from './wasm-code.ts';

/** What the bytes of a text in UTF-8 tell of its characters. */
export interface ByteCounts {
  /** How many bytes were counted. */
  bytes: number;
  /** Small letters and spaces. */
  easy: number;
  /** See letter-pairs.ts. */
  pairs: number;
  /** Bytes of characters beyond ASCII. */
  high: number;
  /** Characters of at least so many bytes. */
  two: number;
  three: number;
  four: number;
  /** Characters from U+3000 on, where Chinese, Japanese and Korean begin. */
  wide: number;
  /** Between quotes it would be a JSON string. False says nothing: what is escaped in a rare way is left to a parser. */
  isPlain: boolean;
}

export interface ByteScanner {
  /** Texts are put here, in UTF-8. */
  room: Uint8Array;
  /** Of the bytes in the room from `start` to `end`; of a string's inside, only up to the quote that ends it. */
  count(start: number, end: number, isString: boolean): ByteCounts;
  /** In a JSON text from outside of its strings on: where the next one opens that is at least so long, or else `end`. */
  findLong(start: number, end: number, least: number): number;
}

export const ROOM_BYTES = 256 * 1024;
/** A text of so many characters, in UTF-16, finds room: each of them is at most three bytes. */
export const ROOM_CHARS = 32 * 1024;

/** Not in UTF-8. */
const NO_BYTE = 0xff;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SMALL_A = 0x61;
const LETTERS = 26;
/** Common letters up to `o` and from `p` on, each in the place that its lower half names. */
const TO_O = byLowerHalf(COMMON_LETTERS.filter((byte) => byte < 0x70));
const FROM_P = byLowerHalf(COMMON_LETTERS.filter((byte) => byte >= 0x70));
/** The first byte of U+3000. */
const WIDE_LEAD = 0xe3;
const ESCAPES = Array.from('\\/fnrt', (char) => char.charCodeAt(0));
/** What may follow a backslash, besides a quote, in the same way. */
const ESCAPED = byLowerHalf(ESCAPES);

/** In memory: sixteen bytes of ones and sixteen of zeros, the counts, and the text after bytes that are no backslash. */
const ONES_END = 16;
const COUNTS = 32;
const ROOM = 80;
const PAGE_BYTES = 64 * 1024;
const PAGES = Math.ceil((ROOM + ROOM_BYTES + 16) / PAGE_BYTES);

// What the routines keep, by number: parameters, whole numbers, vectors.
const AT = 0;
const END = 1;
const QUOTE_BITS = 2;
const EASY = 3;
const HIGH = 4;
const TWO = 5;
const THREE = 6;
const FOUR = 7;
const WIDE = 8;
const QUOTES = 9;
const BEFORE = 10;
const PAIRS = 11;
/** Bits of letters, and of what may stand before one; the last of the latter is carried over to the next sixteen. */
const SECOND = 12;
const FIRST = 13;
const CARRIED = 14;
const BYTES = 15;
const ODD = 16;
const LEAST = 17;
// Of the second one.
const LEAST_LONG = 2;
const OPEN = 3;
const PLACE = 4;

const increase = (local: number, by: Code): Code => [get(local), by, ADD, set(local)];
const decrease = (local: number): Code => [get(local), number(1), SUBTRACT, set(local)];
/** How many of the sixteen bytes pass a test. */
const howMany = (test: Code): Code => [test, BITS, COUNT_ONES];
const is = (byte: number): Code => [get(BYTES), sixteen(byte), BYTES_EQUAL];
const isAtLeast = (byte: number): Code => [get(BYTES), sixteen(byte), BYTES_AT_LEAST];
/** Whether a backslash stands so many bytes before. */
const hasBackslash = (before: number): Code => [
  [get(AT), number(before), SUBTRACT, LOAD_VECTOR],
  [sixteen(BACKSLASH), BYTES_EQUAL],
];

/** A quote after one backslash, not two, is inside of the string: that tells most of them. */
const MAY_END: Code = [is(QUOTE), hasBackslash(1), hasBackslash(2), VECTOR_WITHOUT, VECTOR_WITHOUT];
/** Moved so that the letters are the lowest of all signed bytes. */
const IS_LETTER: Code = [get(BYTES), sixteen(0x80 - SMALL_A), BYTES_ADD, sixteen(0x80 + LETTERS), SIGNED_BYTES_BELOW];
const isIn = (table: readonly number[]): Code => [
  [vectorOf(table), get(BYTES), sixteen(0x0f), VECTOR_AND, BYTES_PICK],
  [get(BYTES), BYTES_EQUAL],
];
const IS_COMMON: Code = [isIn(TO_O), isIn(FROM_P), VECTOR_OR];
/** After two backslashes nothing is escaped; more in a row are rare. */
const IS_AFTER_ONE: Code = [hasBackslash(1), hasBackslash(2), hasBackslash(3), VECTOR_WITHOUT, VECTOR_WITHOUT];
const MAY_BE_ESCAPED: Code = [isIn(ESCAPED), is(QUOTE), VECTOR_OR];

/** The lowest of the quotes at hand is the end, unless an odd number of backslashes stands before it. */
const CHECK_QUOTE: Code = [
  [get(AT), get(QUOTES), TRAILING_ZEROS, ADD, number(1), SUBTRACT, set(BEFORE)],
  loop([get(BEFORE), LOAD_BYTE, number(BACKSLASH), NOT_EQUAL], decrease(BEFORE)),
  [get(AT), get(QUOTES), TRAILING_ZEROS, ADD, get(BEFORE), SUBTRACT, number(1), AND],
  when([
    [get(AT), get(QUOTES), TRAILING_ZEROS, ADD, get(END), get(AT), get(QUOTES), TRAILING_ZEROS, ADD],
    [get(END), BELOW, CHOOSE, set(END)],
    [number(1), set(QUOTES)],
  ]),
  [get(QUOTES), get(QUOTES), number(1), SUBTRACT, AND, set(QUOTES)],
];

const LEFT: Code = [get(END), get(AT), SUBTRACT];

const COUNT_SIXTEEN: Code = [
  [get(AT), LOAD_VECTOR, set(BYTES)],
  [MAY_END, BITS, get(QUOTE_BITS), AND, set(QUOTES)],
  loop([get(QUOTES), number(0), EQUAL], CHECK_QUOTE),
  // What stands behind the end is made a byte that none of the other tests knows.
  [number(15), LEFT, AT_LEAST],
  when([get(BYTES), sixteen(QUOTE), number(ONES_END), LEFT, SUBTRACT, LOAD_VECTOR, VECTOR_CHOOSE, set(BYTES)]),
  [hasBackslash(1), BITS],
  when([get(ODD), IS_AFTER_ONE, MAY_BE_ESCAPED, VECTOR_WITHOUT, VECTOR_OR, set(ODD)]),
  [get(LEAST), get(BYTES), BYTES_LEAST, set(LEAST)],
  increase(EASY, howMany([IS_LETTER, is(SPACE), VECTOR_OR])),
  [IS_COMMON, BITS, set(SECOND)],
  [get(SECOND), is(SPACE), BITS, OR, set(FIRST)],
  increase(PAIRS, [get(SECOND), get(FIRST), number(1), SHIFT_UP, get(CARRIED), OR, AND, COUNT_ONES]),
  [get(FIRST), number(15), SHIFT_DOWN, set(CARRIED)],
  [get(BYTES), BITS],
  when([
    increase(HIGH, howMany(get(BYTES))),
    increase(TWO, howMany(isAtLeast(0xc0))),
    increase(THREE, howMany(isAtLeast(0xe0))),
    increase(FOUR, howMany(isAtLeast(0xf0))),
    increase(WIDE, howMany(isAtLeast(WIDE_LEAD))),
  ]),
  increase(AT, number(16)),
];

/** Told where the bytes begin and end and which quotes matter, all or none; answers where they end. */
const COUNT: Routine = {
  name: 'count',
  params: 3,
  numbers: 12,
  vectors: 3,
  code: [
    [sixteen(QUOTE), set(LEAST)],
    loop([get(AT), get(END), AT_LEAST], COUNT_SIXTEEN),
    [EASY, HIGH, TWO, THREE, FOUR, WIDE].map((local, index) => storeAt(COUNTS + index * 4, get(local))),
    storeAt(COUNTS + 28, get(PAIRS)),
    storeAt(COUNTS + 24, [get(ODD), get(LEAST), sixteen(SPACE), SIGNED_BYTES_BELOW, VECTOR_OR, BITS]),
    get(END),
  ],
};
const ALL_QUOTES = 0xffff;

/** A quote opens a string, or ends the open one if an even number of backslashes stands before it. */
const TURN_AT_QUOTE: Code = [
  [get(AT), get(QUOTES), TRAILING_ZEROS, ADD, set(PLACE)],
  [get(PLACE), number(1), SUBTRACT, set(BEFORE)],
  loop([get(BEFORE), LOAD_BYTE, number(BACKSLASH), NOT_EQUAL, get(OPEN), number(0), EQUAL, ADD], decrease(BEFORE)),
  [get(PLACE), get(BEFORE), SUBTRACT, number(1), AND],
  when([
    [get(OPEN)],
    when([get(PLACE), get(OPEN), SUBTRACT, get(LEAST_LONG), AT_LEAST, when([get(OPEN), RETURN])]),
    [number(0), get(PLACE), get(OPEN), CHOOSE, set(OPEN)],
  ]),
  [get(QUOTES), get(QUOTES), number(1), SUBTRACT, AND, set(QUOTES)],
];

/** Told where the bytes begin and end and what is long; answers where a long string opens, or where the bytes end. */
const FIND_LONG: Routine = {
  name: 'findLong',
  params: 3,
  numbers: 8,
  vectors: 0,
  code: [
    loop(
      [get(AT), get(END), AT_LEAST],
      [
        [get(OPEN)],
        when([get(AT), get(OPEN), SUBTRACT, get(LEAST_LONG), AT_LEAST, when([get(OPEN), RETURN])]),
        [get(AT), LOAD_VECTOR, sixteen(QUOTE), BYTES_EQUAL, BITS, set(QUOTES)],
        loop([get(QUOTES), number(0), EQUAL], TURN_AT_QUOTE),
        increase(AT, number(16)),
      ],
    ),
    get(END),
  ],
};

/** Undefined on a processor that cannot work on sixteen bytes at once. */
export function vectorScanner(): ByteScanner | undefined {
  const code = wasmModule(PAGES, [COUNT, FIND_LONG]);
  if (!WebAssembly.validate(code)) return undefined;
  const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(code), { env: { memory } });
  const { count, findLong } = instance.exports;
  if (typeof count !== 'function' || typeof findLong !== 'function') return undefined;
  new Uint8Array(memory.buffer).fill(0xff, 0, ONES_END);
  const counts = new Uint32Array(memory.buffer, COUNTS, 8);
  return {
    room: new Uint8Array(memory.buffer, ROOM, ROOM_BYTES),
    count(start, end, isString) {
      const bytes: number = count(ROOM + start, ROOM + end, isString ? ALL_QUOTES : 0) - ROOM - start;
      return {
        bytes,
        easy: counts[0] ?? 0,
        pairs: counts[7] ?? 0,
        high: counts[1] ?? 0,
        two: counts[2] ?? 0,
        three: counts[3] ?? 0,
        four: counts[4] ?? 0,
        wide: counts[5] ?? 0,
        isPlain: counts[6] === 0,
      };
    },
    findLong: (start, end, least) => findLong(ROOM + start, ROOM + end, least) - ROOM,
  };
}

/** The same, byte by byte. */
export function plainScanner(): ByteScanner {
  const room = new Uint8Array(ROOM_BYTES);
  return {
    room,
    count(start, end, isString) {
      const stop = isString ? findEnd(room, start, end) : end;
      const counts = { bytes: stop - start, ...NOTHING };
      for (let at = start; at < stop; at++) {
        const byte = room[at] ?? 0;
        const isAllowed = byte === QUOTE || ESCAPED[byte % 16] === byte || !isAfterOne(room, at);
        if (byte < SPACE || !isAllowed) counts.isPlain = false;
        if ((byte >= SMALL_A && byte < SMALL_A + LETTERS) || byte === SPACE) counts.easy++;
        if (at > start && isPair(room[at - 1] ?? 0, byte)) counts.pairs++;
        if (byte >= 0x80) counts.high++;
        if (byte >= 0xc0) counts.two++;
        if (byte >= 0xe0) counts.three++;
        if (byte >= 0xf0) counts.four++;
        if (byte >= WIDE_LEAD) counts.wide++;
      }
      return counts;
    },
    findLong(start, end, least) {
      for (let at = start; at < end; at++) {
        if (room[at] !== QUOTE) continue;
        const stop = findEnd(room, at + 1, end);
        if (stop - at >= least) return at;
        at = stop;
      }
      return end;
    },
  };
}

const NOTHING = { easy: 0, pairs: 0, high: 0, two: 0, three: 0, four: 0, wide: 0, isPlain: true };

function byLowerHalf(bytes: readonly number[]): number[] {
  return Array.from({ length: 16 }, (_, half) => bytes.find((byte) => byte % 16 === half) ?? NO_BYTE);
}

function findEnd(room: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    if (room[at] === QUOTE) return at;
    if (room[at] === BACKSLASH) at++;
  }
  return end;
}

function isAfterOne(room: Uint8Array, at: number): boolean {
  const [third, second, first] = [at - 3, at - 2, at - 1].map((place) => room[place] === BACKSLASH);
  return first === true && (second === false || third === true);
}
