// Most events of a stream differ from the one before only in their text. A shape is such an event without its text. An event
// that matches the shape is read without being parsed, with the same result; any other event is parsed.

import { type JsonDocument, readAnswerJson, tryParseJson } from '../../kit/json/json.ts';
import type { RepeatedFrames, Segment, StreamEvent } from '../dialect.ts';

export interface Shape {
  /** The bytes before, between and after the values that change: the text and, if there is any, the padding. */
  parts: readonly string[];
  /** The event with marks instead of these values. */
  marked: string;
  /** The slot of its text. */
  slot: string;
}

/** An event of a known shape. */
export interface Repeat {
  shape: Shape;
  /** The values that change, as JSON without the quotes. */
  raw: readonly string[];
  text: string;
}

/** Whether the only content of an event is this text in this slot. */
type HasOnlyText = (data: string, text: string, slot: string) => boolean;

const MARK = '\ue000mark\ue000';
/** Stops comparing after this many events that did not repeat. */
const MAX_TRIES = 32;
const WORTH_IT = 8;
const MAX_CHARS = 4_096;

export class ShapeMemory {
  readonly #hasOnlyText: HasOnlyText;
  #shape: Shape | undefined;
  #tries = 0;
  #matches = 0;

  constructor(hasOnlyText: HasOnlyText) {
    this.#hasOnlyText = hasOnlyText;
  }

  match(data: string): Repeat | undefined {
    const repeat = this.#shape && matchShape(this.#shape, data);
    if (repeat) this.#matches++;
    return repeat;
  }

  /** Counts an event that was passed through, and would have matched. */
  countMatch(): void {
    this.#matches++;
  }

  learn(data: string, text: string, slot: string): void {
    if (this.#matches >= WORTH_IT) this.#tries = 0;
    this.#matches = 0;
    if (data.length > MAX_CHARS || this.#tries++ >= MAX_TRIES) return;
    const found = findShape(data, text, slot);
    if (found && this.#hasOnlyText(found.marked, MARK, slot)) this.#shape = found;
  }
}

/** Writes events of a shape like the writer of the dialect. */
export class RepeatWriter implements RepeatedFrames {
  readonly #write: (marked: string) => string;
  #known: Shape | undefined;
  #parts: readonly string[] | undefined;

  /** `write` is asked once for each shape. */
  constructor(
    write: (marked: string) => string,
    readonly note: RepeatedFrames['note'],
  ) {
    this.#write = write;
  }

  /** Undefined where it cannot be copied. */
  write({ shape, raw }: Repeat): string | undefined {
    if (shape !== this.#known) {
      this.#known = shape;
      const written = this.#write(shape.marked).split(MARK);
      this.#parts = written.length === shape.parts.length ? written : undefined;
    }
    return this.#parts && fill(this.#parts, raw);
  }

  /** The written bytes before, between and after the values of this shape; undefined if none was written yet. */
  partsOf(shape: Shape): readonly string[] | undefined {
    return shape === this.#known ? this.#parts : undefined;
  }

  /** Called when the written bytes change. */
  forget(): void {
    this.#known = undefined;
  }
}

function fill(parts: readonly string[], raw: readonly string[]): string {
  let text = parts[0] ?? '';
  for (let at = 0; at < raw.length; at++) text += (raw[at] ?? '') + (parts[at + 1] ?? '');
  return text;
}

function findShape(data: string, text: string, slot: string): Shape | undefined {
  if (text === '' || data.includes(MARK)) return undefined;
  const quoted = JSON.stringify(text);
  const at = data.indexOf(quoted);
  if (at < 0 || data.includes(quoted, at + 1)) return undefined;
  const rest = data.slice(at + quoted.length - 1);
  // Padding of random length, so that the text cannot be guessed from packet lengths.
  const padding = PADDING.exec(rest)?.[1];
  const tail = padding === undefined ? [rest] : [rest.slice(0, -padding.length - PADDING_END.length), PADDING_END];
  const parts = [data.slice(0, at + 1), ...tail];
  return { parts, marked: parts.join(MARK), slot };
}

const PADDING = /[,{]"obfuscation":"(\w*)"\}$/;
const PADDING_END = '"}';
const IS_PADDING = /^\w*$/;

function matchShape(shape: Shape, data: string): Repeat | undefined {
  const [head = '', middle = '', end] = shape.parts;
  if (!data.startsWith(head) || !data.endsWith(end ?? middle)) return undefined;
  const paddingEnd = data.length - (end?.length ?? 0);
  const textEnd =
    end === undefined ? data.length - middle.length : data.lastIndexOf(middle, paddingEnd - middle.length);
  const raw = [data.slice(head.length, Math.max(head.length, textEnd))];
  if (end !== undefined) raw.push(data.slice(textEnd + middle.length, paddingEnd));
  const [quoted = '', padding = ''] = raw;
  const text = unquote(quoted);
  return text === undefined || text === '' || !IS_PADDING.test(padding) ? undefined : { shape, raw, text };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** The value of a JSON string with this between its quotes; undefined if it is invalid. */
function unquote(raw: string): string | undefined {
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at);
    if (code >= SPACE && code !== QUOTE && code !== BACKSLASH) continue;
    const value = tryParseJson(`"${raw}"`);
    return typeof value === 'string' ? value : undefined;
  }
  return raw;
}

export class RepeatedEvent implements StreamEvent {
  readonly kind = 'output';
  readonly segments: readonly Segment[];
  origin: Shape | undefined;
  readonly #data: string;
  readonly #repeat: Repeat;
  #document: JsonDocument | undefined;

  constructor(
    readonly name: string | undefined,
    data: string,
    repeat: Repeat,
  ) {
    this.segments = [{ slot: repeat.shape.slot, text: repeat.text }];
    this.origin = repeat.shape;
    this.#data = data;
    this.#repeat = repeat;
  }

  get document(): JsonDocument {
    this.#document ??= readAnswerJson(this.#data);
    return this.#document;
  }

  get repeat(): Repeat {
    return this.#repeat;
  }
}
