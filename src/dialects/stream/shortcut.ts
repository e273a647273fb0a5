// A fast path for most of a stream: events that differ from the one before only in their text are sent to the client as
// bytes, without being decoded, read and written. The result is the same as on the plain path, which handles every event
// that does not match to the last byte.

import { PlainText } from '../../kit/json/plain-text.ts';
import type { RepeatedFrames, StreamEvent, StreamReader, StreamWriter } from '../dialect.ts';
import type { Repeat, Shape } from './shape.ts';

/** The bytes around a text, and around the padding after it if there is any. */
interface Frame {
  head: Uint8Array;
  middle: Uint8Array;
  end: Uint8Array | undefined;
}

interface Passthrough {
  from: Frame;
  to: Frame;
  /** Received and sent bytes are the same. */
  isSame: boolean;
  slot: string;
  /** Bytes of a whole event beside its text; NaN if they vary. */
  around: number;
  /** By the number of bytes of the text. */
  forms: (Form | undefined)[];
}

/** An event as it is received and as it is sent, for texts of one length: only the text must be filled in. */
type Form = Record<'from' | 'to', Uint8Array>;

/** Most texts are one token. */
const MAX_FORM_BYTES = 16;

const SCRATCH_BYTES = 64 * 1024;
/** The buffer in which frames of several events are joined. */
const scratch = new Uint8Array(SCRATCH_BYTES);
const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** The beginning of an event with one line of data. */
const FIELDS = /^(?:event: ?[^\r\n]*\n)?data: ?/;
const END = '\n\n';

/** Undefined if the reader or the writer must see every event. */
export function createShortcut(reader: StreamReader, { repeats }: StreamWriter): Shortcut | undefined {
  return reader.countRepeat && repeats ? new Shortcut(reader, repeats) : undefined;
}

export class Shortcut {
  readonly #reader: StreamReader;
  readonly #repeats: RepeatedFrames;
  readonly #text = new PlainText();
  #known: Shape | undefined;
  #knownOrigin: Shape | undefined;
  #passthrough: Passthrough | undefined;
  #isOpen = false;
  #taken = 0;

  constructor(reader: StreamReader, repeats: RepeatedFrames) {
    this.#reader = reader;
    this.#repeats = repeats;
  }

  /**
   * Call it when an event takes the plain path: its effects are unknown here, so the next events take the plain path, too.
   */
  pause(): void {
    this.#isOpen = false;
  }

  /** Learns from an event that was written on the plain path, and its bytes. */
  learn(bytes: Uint8Array, { repeat, origin }: StreamEvent): void {
    if (!repeat || !origin) return;
    if (repeat.shape !== this.#known || origin !== this.#knownOrigin) {
      this.#passthrough = this.#findPassthrough(bytes, repeat, origin);
    }
    this.#known = repeat.shape;
    this.#knownOrigin = origin;
    this.#isOpen = true;
  }

  /**
   * Frames for as many events at the start of the bytes as match. The bytes must begin with an event. The returned buffer is
   * reused by the next call.
   */
  take(bytes: Uint8Array): Uint8Array | undefined {
    this.#taken = 0;
    const passthrough = this.#passthrough;
    if (!passthrough || !this.#isOpen) return undefined;
    const { from, to, isSame } = passthrough;
    const size = bytes.length - passthrough.around;
    const form = size > 0 && size <= MAX_FORM_BYTES ? formOf(passthrough, size) : undefined;
    if (form && this.#fits(bytes, form, from, size, to.head.length)) {
      this.#pass(passthrough, bytes, 0, bytes.length);
      return isSame ? bytes : form.to;
    }
    const mostAround = to.head.length + to.middle.length + (to.end?.length ?? 0);
    let filled = 0;
    while (this.#taken < bytes.length && filled + mostAround + bytes.length - this.#taken <= SCRATCH_BYTES) {
      const end = this.#endOf(bytes, this.#taken, from);
      if (end === 0) break;
      if (!isSame) filled = this.#put(bytes, this.#taken, end, passthrough, filled);
      this.#pass(passthrough, bytes, this.#taken, end);
    }
    if (this.#taken === 0) return undefined;
    return isSame ? bytes.subarray(0, this.#taken) : scratch.subarray(0, filled);
  }

  /** How many bytes the last one took. */
  get taken(): number {
    return this.#taken;
  }

  /** The end of the event that begins here; 0 if it does not match. */
  #endOf(bytes: Uint8Array, at: number, { head, middle, end }: Frame): number {
    const text = this.#text;
    if (!hasAt(bytes, head, at) || !text.scan(bytes, at + head.length)) return 0;
    if (text.end === at + head.length || !hasAt(bytes, middle, text.end)) return 0;
    const next = text.end + middle.length;
    if (!end) return next;
    const padding = paddingEnd(bytes, next);
    return hasAt(bytes, end, padding) ? padding + end.length : 0;
  }

  #put(bytes: Uint8Array, at: number, end: number, { from, to }: Passthrough, into: number): number {
    const textEnd = this.#text.end;
    scratch.set(to.head, into);
    let next = copy(bytes, at + from.head.length, textEnd, into + to.head.length);
    scratch.set(to.middle, next);
    next += to.middle.length;
    if (!to.end || !from.end) return next;
    next = copy(bytes, textEnd + from.middle.length, end - from.end.length, next);
    scratch.set(to.end, next);
    return next + to.end.length;
  }

  /** Whether the bytes are one event with a text of this length; if so, the form is filled with the text. */
  #fits(bytes: Uint8Array, { from, to }: Form, { head }: Frame, size: number, out: number): boolean {
    const text = this.#text;
    if (!text.scan(bytes, head.length) || text.end !== head.length + size) return false;
    for (let at = 0; at < size; at++) {
      const byte = bytes[head.length + at] ?? 0;
      from[head.length + at] = byte;
      to[out + at] = byte;
    }
    return Buffer.compare(from, bytes) === 0;
  }

  #pass({ slot, from }: Passthrough, bytes: Uint8Array, at: number, end: number): void {
    const text = this.#text;
    this.#reader.countRepeat?.(text.weight);
    this.#repeats.note(slot, bytes, at + from.head.length, text.end, text.weight);
    this.#taken = end;
  }

  #findPassthrough(bytes: Uint8Array, { shape }: Repeat, origin: Shape): Passthrough | undefined {
    const out = this.#repeats.partsOf(shape);
    const to = out && frameOf('', out, '');
    const from = framed(decoder.decode(bytes), origin.parts);
    if (!from || !to || (to.end && !from.end)) return undefined;
    const around = from.end ? Number.NaN : from.head.length + from.middle.length;
    return { from, to, isSame: isEqual(from, to), slot: shape.slot, around, forms: [] };
  }
}

function formOf({ from, to, forms }: Passthrough, size: number): Form {
  const known = forms[size];
  if (known) return known;
  const form = { from: blank(from, size), to: blank(to, size) };
  forms[size] = form;
  return form;
}

function blank({ head, middle }: Frame, size: number): Uint8Array {
  const bytes = new Uint8Array(head.length + size + middle.length);
  bytes.set(head);
  bytes.set(middle, head.length + size);
  return bytes;
}

/** The frame in which this text has these parts; undefined if the text is more than one plain event. */
function framed(text: string, parts: readonly string[]): Frame | undefined {
  const [fields] = FIELDS.exec(text) ?? [];
  if (fields === undefined || !text.startsWith(parts[0] ?? '', fields.length)) return undefined;
  const isOne = text.indexOf('\n', fields.length) === text.length - END.length && !text.includes('\r');
  return isOne && text.endsWith((parts.at(-1) ?? '') + END) ? frameOf(fields, parts, END) : undefined;
}

function frameOf(before: string, parts: readonly string[], after: string): Frame | undefined {
  const [head, middle, end, ...more] = parts;
  if (head === undefined || middle === undefined || more.length > 0) return undefined;
  return {
    head: encoder.encode(before + head),
    middle: encoder.encode(end === undefined ? middle + after : middle),
    end: end === undefined ? undefined : encoder.encode(end + after),
  };
}

function isEqual(a: Frame, b: Frame): boolean {
  const ends = a.end && b.end ? a.end.length === b.end.length && hasAt(a.end, b.end, 0) : a.end === b.end;
  const lengths = a.head.length === b.head.length && a.middle.length === b.middle.length;
  return ends && lengths && hasAt(a.head, b.head, 0) && hasAt(a.middle, b.middle, 0);
}

const IS_PADDING = Array.from({ length: 256 }, (_, code) => code < 0x80 && /\w/.test(String.fromCharCode(code)));

function paddingEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && IS_PADDING[bytes[at] ?? 0]) at++;
  return at;
}

/** `Buffer.compare` is many times faster than a loop. */
const compare: (this: Uint8Array, other: Uint8Array, ...ranges: number[]) => number = Buffer.prototype.compare;

function hasAt(bytes: Uint8Array, part: Uint8Array, at: number): boolean {
  const end = at + part.length;
  return end <= bytes.length && compare.call(bytes, part, 0, part.length, at, end) === 0;
}

/** For the few bytes of one token, a loop is faster than a view. */
function copy(bytes: Uint8Array, from: number, to: number, into: number): number {
  let next = into;
  for (let at = from; at < to; at++) scratch[next++] = bytes[at] ?? 0;
  return next;
}
