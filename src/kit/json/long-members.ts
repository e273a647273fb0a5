// Reads answers with long members: vectors and images, which may have 200 MB in one answer. They are checked as they arrive
// and kept as bytes; only the rest of the answer, with marks in their place, is parsed.

import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './characters.ts';
import {
  ANSWER_LIMITS,
  type Json,
  type JsonDocument,
  JsonRefused,
  parseJson,
  parseMembers,
  scanTopLevel,
} from './json.ts';
import { isEscaping, isOver, NUMBERS, type PlainShape, runShape, STRING } from './plain-shapes.ts';

/** A member's value: a string with its quotes, or a list of numbers with its brackets. */
export interface LongMember {
  kind: 'string' | 'numbers';
  chunks: readonly Uint8Array[];
}

/** An answer whose long members are marks, in its text and in its value. */
export interface MarkedJson extends JsonDocument {
  /** The start of a mark: its quote, and an escape that occurs nowhere else in the text. */
  mark: string;
  long: readonly LongMember[];
  /**
   * Frees the memory of the long members at once instead of at the next garbage collection. They must not be read
   * afterwards.
   */
  drop(): void;
}

interface Cut {
  kind: LongMember['kind'];
  start: number;
  end: number;
}

const ENCODER = new TextEncoder();

/** Escapes that have only one spelling, so that a search finds every occurrence. */
const MARKS = Array.from({ length: 9 }, (_, index) => `\\u000${index + 1}`);

export class LongMemberReader {
  /** The name of the members that may be long. */
  readonly #name: Uint8Array;
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  readonly #cuts: Cut[] = [];
  #length = 0;
  #cutBytes = 0;
  /** State of the string being read; `#stringStart` keeps as much of it as a name can have. */
  #inString = false;
  #isEscaped = false;
  #stringStart: number[] = [];
  /** The last string is such a name; or its colon was read, too. */
  #isNamed = false;
  #isAwaited = false;
  /** A list was opened, and nothing of it was read yet. */
  #listAt = -1;
  /** The member that is being read: its start and state. */
  #shape: PlainShape | undefined;
  #state = 0;
  #start = 0;

  constructor(name: string) {
    this.#name = ENCODER.encode(name);
  }

  /** Size of everything received. */
  get bytes(): number {
    return this.#length;
  }

  /** Size of everything outside long members. */
  get restBytes(): number {
    return this.#length - this.#cutBytes - (this.#shape ? this.#length - this.#start : 0);
  }

  push(chunk: Uint8Array<ArrayBuffer>): void {
    this.#chunks.push(chunk);
    let at = 0;
    while (at < chunk.length) {
      if (this.#shape) at = this.#readLong(this.#shape, chunk, at);
      else if (this.#inString) at = this.#readString(chunk, at);
      else at = this.#readRest(chunk, at);
    }
    this.#length += chunk.length;
  }

  #readLong(shape: PlainShape, chunk: Uint8Array, from: number): number {
    const { at, state, before } = runShape(shape, this.#state, chunk, from);
    this.#state = state;
    if (isOver(state)) {
      const end = this.#length + at;
      this.#cuts.push({ kind: shape.kind, start: this.#start, end });
      this.#cutBytes += end - this.#start;
      this.#shape = undefined;
    } else if (state === 0) {
      // It has other content: it stays in the text and is parsed.
      this.#shape = undefined;
      this.#inString = shape.kind === 'string';
      this.#isEscaped = isEscaping(shape, before);
    }
    return at;
  }

  #readString(chunk: Uint8Array, from: number): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        this.#isNamed = this.#isName();
        return at + 1;
      }
      if (byte !== undefined && this.#stringStart.length <= this.#name.length) this.#stringStart.push(byte);
    }
    return at;
  }

  #isName(): boolean {
    return (
      this.#stringStart.length === this.#name.length &&
      this.#name.every((byte, index) => byte === this.#stringStart[index])
    );
  }

  /** Reads up to a string, or to a member that may be long. */
  #readRest(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (isSpace(byte)) continue;
      if (this.#listAt >= 0 && isNumberStart(byte)) return this.#begin(NUMBERS, this.#listAt, at);
      this.#listAt = -1;
      const isValue = this.#isAwaited;
      this.#isAwaited = false;
      switch (byte) {
        case QUOTE:
          if (isValue) return this.#begin(STRING, this.#length + at, at + 1);
          this.#inString = true;
          this.#stringStart = [];
          return at + 1;
        case COLON:
          this.#isAwaited = this.#isNamed;
          this.#isNamed = false;
          break;
        case OPEN_BRACKET:
          this.#isNamed = false;
          if (isValue) this.#listAt = this.#length + at;
          break;
        case COMMA:
        case OPEN_BRACE:
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#isNamed = false;
          break;
      }
    }
    return chunk.length;
  }

  #begin(shape: PlainShape, start: number, at: number): number {
    this.#listAt = -1;
    this.#isNamed = false;
    this.#stringStart = [];
    this.#shape = shape;
    this.#state = shape.first;
    this.#start = start;
    return at;
  }

  /** Discards everything received. */
  drop(): void {
    dropAll(this.#chunks);
  }

  /** Throws JsonRefused. */
  end(): MarkedJson {
    const between: string[] = [];
    const long: LongMember[] = [];
    const take = taker(this.#chunks);
    for (const { kind, start, end } of this.#cuts) {
      between.push(decode(take(start)));
      long.push({ kind, chunks: take(end) });
    }
    between.push(decode(take(this.#length)));
    const spare = MARKS.find((one) => !between.some((text) => text.includes(one)));
    if (spare === undefined) throw new JsonRefused('not_json');
    const mark = `"${spare}`;
    const text = between.reduce((before, rest, index) => `${before}${mark}${index - 1}"${rest}`);
    const spans = scanTopLevel(text, ANSWER_LIMITS);
    return { text, value: parseMembers(text, spans), spans, mark, long, drop: () => this.drop() };
  }
}

/** Several may be parts of one buffer. */
function dropAll(chunks: Uint8Array<ArrayBuffer>[]): void {
  const buffers = new Set(chunks.splice(0).map(({ buffer }) => buffer));
  for (const buffer of buffers) buffer.transfer(0);
}

function isNumberStart(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
}

/** Takes bytes from the chunks up to an offset. */
function taker(chunks: Uint8Array[]): (end: number) => Uint8Array[] {
  let index = 0;
  let at = 0;
  let chunkStart = 0;
  return (end) => {
    const taken: Uint8Array[] = [];
    for (let chunk = chunks[index]; chunk && at < end; chunk = chunks[index]) {
      const until = Math.min(end, chunkStart + chunk.length);
      taken.push(chunk.subarray(at - chunkStart, until - chunkStart));
      at = until;
      if (until < chunkStart + chunk.length) break;
      chunkStart = until;
      index++;
    }
    return taken;
  };
}

/** No character is split, because long members begin and end with ASCII. */
function decode(chunks: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Whether a value of the document is the mark of a long member. */
export function isMark(document: JsonDocument | MarkedJson, value: Json | undefined): boolean {
  return 'mark' in document && typeof value === 'string' && JSON.stringify(value).startsWith(document.mark);
}

export function parseLong({ chunks }: LongMember): Json {
  return parseJson(decode(chunks));
}

/** The parts of a text with marks; each mark is replaced by its member as `write` returns it. */
export function* fillLong(
  text: string,
  { mark, long }: Pick<MarkedJson, 'mark' | 'long'>,
  write: (member: LongMember) => Iterable<string | Uint8Array>,
): Generator<string | Uint8Array> {
  let from = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, from)) {
    const end = text.indexOf('"', at + mark.length);
    yield text.slice(from, at);
    const member = long[Number(text.slice(at + mark.length, end))];
    if (member) yield* write(member);
    from = end + 1;
  }
  yield text.slice(from);
}
