// Two passes over the bytes of a text, sixteen at a time: which characters there are, and where a JSON string ends. A
// prompt has a hundred thousand characters, and a look at each of them one by one would be most of what a request costs.

import {
  ADD,
  AND,
  AT_LEAST,
  BITS,
  BYTES_ADD,
  BYTES_AT_LEAST,
  BYTES_EQUAL,
  BYTES_LEAST,
  BYTES_PICK,
  COUNT_ONES,
  type Code,
  EQUAL,
  get,
  LOAD_BYTE,
  LOAD_VECTOR,
  loop,
  NOT_EQUAL,
  number,
  RETURN,
  type Routine,
  SIGNED_BYTES_BELOW,
  SUBTRACT,
  set,
  sixteen,
  storeAt,
  TRAILING_ZEROS,
  tee,
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
  /** Small letters and spaces. */
  easy: number;
  /** Bytes of characters beyond ASCII. */
  high: number;
  /** Characters of at least so many bytes. */
  two: number;
  three: number;
  four: number;
  /** Between quotes it would be a JSON string. False says nothing: what is escaped in a rare way is left to a parser. */
  isPlain: boolean;
}

export interface ByteScanner {
  /** Texts are put here, in UTF-8. */
  room: Uint8Array;
  /** Of the first bytes in the room. */
  count(length: number): ByteCounts;
  /** Where the string ends whose inside begins the room: the place of its quote, or `length` if it is not there. */
  findEnd(length: number): number;
}

/** No text in the room is longer, in UTF-16; a character of it is at most three bytes. */
export const ROOM_CHARS = 32 * 1024;
const ROOM_BYTES = ROOM_CHARS * 3;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SMALL_A = 0x61;
const LETTERS = 26;
const ESCAPES = Array.from('\\/fnrt', (char) => char.charCodeAt(0));
/** What may follow a backslash, besides a quote: each in the place that its lower half names. */
const ESCAPED = Array.from({ length: 16 }, (_, half) => ESCAPES.find((byte) => byte % 16 === half) ?? 0);

/** In memory: sixteen bytes of ones and sixteen of zeros, the counts, and the text after bytes that are no backslash. */
const ONES_END = 16;
const COUNTS = 32;
const ROOM = 64;
const PAGE_BYTES = 64 * 1024;
const PAGES = Math.ceil((ROOM + ROOM_BYTES + 16) / PAGE_BYTES);

/** Of the vector at hand, how many bytes answer a test. */
const howMany = (test: Code): Code => [test, BITS, COUNT_ONES];
const increase = (local: number, by: Code): Code => [get(local), by, ADD, set(local)];
/** Of the sixteen bytes that begin so many before. */
const isBackslash = (at: number, before: number): Code => [
  [get(at), number(before), SUBTRACT, LOAD_VECTOR],
  [sixteen(BACKSLASH), BYTES_EQUAL],
];

function countRoutine(): Routine {
  const [to, at, easy, high, two, three, four, bytes, odd, least] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const left: Code = [get(to), get(at), SUBTRACT];
  // Moved so that the letters are the lowest of all signed bytes.
  const isLetter: Code = [get(bytes), sixteen(0x80 - SMALL_A), BYTES_ADD, sixteen(0x80 + LETTERS), SIGNED_BYTES_BELOW];
  const isSpace: Code = [get(bytes), sixteen(SPACE), BYTES_EQUAL];
  const isAtLeast = (byte: number): Code => [get(bytes), sixteen(byte), BYTES_AT_LEAST];
  // After two of them nothing is escaped; more in a row are rare.
  const isAfterOne: Code = [isBackslash(at, 1), isBackslash(at, 2), isBackslash(at, 3), VECTOR_WITHOUT, VECTOR_WITHOUT];
  const isEscaped: Code = [
    [vectorOf(ESCAPED), get(bytes), sixteen(0x0f), VECTOR_AND, BYTES_PICK, get(bytes), BYTES_EQUAL],
    [get(bytes), sixteen(QUOTE), BYTES_EQUAL, VECTOR_OR],
  ];
  const block: Code = [
    [get(at), LOAD_VECTOR, set(bytes)],
    // What stands behind the end is made a byte that none of the tests knows.
    [number(15), left, AT_LEAST],
    when([get(bytes), sixteen(QUOTE), number(ONES_END), left, SUBTRACT, LOAD_VECTOR, VECTOR_CHOOSE, set(bytes)]),
    [get(odd), isAfterOne, isEscaped, VECTOR_WITHOUT, VECTOR_OR, set(odd)],
    [get(least), get(bytes), BYTES_LEAST, set(least)],
    increase(easy, howMany([isLetter, isSpace, VECTOR_OR])),
    [get(bytes), BITS],
    when([
      increase(high, howMany(get(bytes))),
      increase(two, howMany(isAtLeast(0xc0))),
      increase(three, howMany(isAtLeast(0xe0))),
      increase(four, howMany(isAtLeast(0xf0))),
    ]),
    increase(at, number(16)),
  ];
  const code: Code = [
    [number(ROOM), set(at), sixteen(QUOTE), set(least)],
    loop([get(at), get(to), AT_LEAST], block),
    [high, two, three, four].map((local, index) => storeAt(COUNTS + index * 4, get(local))),
    storeAt(COUNTS + 16, [get(odd), get(least), sixteen(SPACE), SIGNED_BYTES_BELOW, VECTOR_OR, BITS]),
    get(easy),
  ];
  return { name: 'count', params: 1, numbers: 6, vectors: 3, code };
}

/** A quote ends the string unless an odd number of backslashes stands before it. */
function findEndRoutine(): Routine {
  const [to, at, quotes, quote, before] = [0, 1, 2, 3, 4];
  /** One backslash and not two: most quotes inside of a string are told by that. */
  const isEscaped: Code = [isBackslash(at, 1), isBackslash(at, 2), VECTOR_WITHOUT];
  const checkQuote: Code = [
    [get(at), get(quotes), TRAILING_ZEROS, ADD, tee(quote)],
    [get(to), AT_LEAST, when([get(to), RETURN])],
    [get(quote), number(1), SUBTRACT, set(before)],
    loop([get(before), LOAD_BYTE, number(BACKSLASH), NOT_EQUAL], [get(before), number(1), SUBTRACT, set(before)]),
    [get(quote), get(before), SUBTRACT, number(1), AND, when([get(quote), RETURN])],
    [get(quotes), get(quotes), number(1), SUBTRACT, AND, set(quotes)],
  ];
  const block: Code = [
    [get(at), LOAD_VECTOR, sixteen(QUOTE), BYTES_EQUAL, isEscaped, VECTOR_WITHOUT, BITS, set(quotes)],
    loop([get(quotes), number(0), EQUAL], checkQuote),
    increase(at, number(16)),
  ];
  const code: Code = [[number(ROOM), set(at)], loop([get(at), get(to), AT_LEAST], block), get(to)];
  return { name: 'findEnd', params: 1, numbers: 4, vectors: 0, code };
}

/** Undefined on a processor that cannot work on sixteen bytes at once. */
export function vectorScanner(): ByteScanner | undefined {
  const code = wasmModule(PAGES, [countRoutine(), findEndRoutine()]);
  if (!WebAssembly.validate(code)) return undefined;
  const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(code), { env: { memory } });
  const { count, findEnd } = instance.exports;
  if (typeof count !== 'function' || typeof findEnd !== 'function') return undefined;
  new Uint8Array(memory.buffer).fill(0xff, 0, ONES_END);
  const counts = new Uint32Array(memory.buffer, COUNTS, 5);
  return {
    room: new Uint8Array(memory.buffer, ROOM, ROOM_BYTES),
    count(length) {
      const easy: number = count(ROOM + length);
      const [high = 0, two = 0, three = 0, four = 0, odd = 0] = counts;
      return { easy, high, two, three, four, isPlain: odd === 0 };
    },
    findEnd: (length) => findEnd(ROOM + length) - ROOM,
  };
}

/** The same, byte by byte. */
export function plainScanner(): ByteScanner {
  const room = new Uint8Array(ROOM_BYTES);
  return {
    room,
    count(length) {
      const counts = { easy: 0, high: 0, two: 0, three: 0, four: 0, isPlain: true };
      for (let at = 0; at < length; at++) {
        const byte = room[at] ?? 0;
        const isAllowed = byte === QUOTE || ESCAPED[byte % 16] === byte || !isAfterOne(room, at);
        if (byte < SPACE || !isAllowed) counts.isPlain = false;
        if ((byte >= SMALL_A && byte < SMALL_A + LETTERS) || byte === SPACE) counts.easy++;
        if (byte >= 0x80) counts.high++;
        if (byte >= 0xc0) counts.two++;
        if (byte >= 0xe0) counts.three++;
        if (byte >= 0xf0) counts.four++;
      }
      return counts;
    },
    findEnd(length) {
      for (let at = 0; at < length; at++) {
        if (room[at] === QUOTE) return at;
        if (room[at] === BACKSLASH) at++;
      }
      return length;
    },
  };
}

function isAfterOne(room: Uint8Array, at: number): boolean {
  const [third, second, first] = [at - 3, at - 2, at - 1].map((place) => room[place] === BACKSLASH);
  return first === true && (second === false || third === true);
}
