// Reads server-sent events from chunks that may be split anywhere, with any of the three line endings. An event above the
// limit ends the stream, and so do 100,000 lines without data.

import { assert } from '../../kit/assert.ts';
import { tryParseJson } from '../../kit/json/json.ts';

export interface SseEvent {
  /** The `event:` field; absent in the chat dialect. */
  event: string | undefined;
  /** All `data:` lines joined; undefined for a block of comments. */
  data: string | undefined;
}

/** Names of events that only keep the connection open. */
const KEEP_ALIVES: ReadonlySet<unknown> = new Set(['ping', 'keepalive', 'keep-alive', 'keep_alive', 'heartbeat']);

export function isKeepAlive(event: unknown): boolean {
  return KEEP_ALIVES.has(event);
}

export class SseTooLong extends Error {
  override name = 'SseTooLong';
}

const MAX_EVENT_CHARS = 32 * 1024 * 1024;
/**
 * The limit for lines without data: more than an hour of keep-alives has, and few enough to be read in well under a second.
 */
const MAX_SPARE_LINES = 100_000;
/** The most characters of an event besides its data: its name, id and end. */
const SPARE_LINES_PER_DATA = 8;
const STREAM = { stream: true };
const DATA = 'data: ';
const LF = 0x0a;
const LINE_END = /\r\n|\n|\r/g;
const HAS_LINE_END = /[\r\n]/;

/** Fast path for the form of most chunks. */
function isOneEvent(text: string): boolean {
  return (
    text.startsWith(DATA) && text.indexOf('\n') === text.length - 2 && text.endsWith('\n\n') && !text.includes('\r')
  );
}

export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #maxEventChars: number;
  /** A line whose end has not arrived. */
  #begun = '';
  /** The last chunk ended in a CR: an LF at the start of the next one belongs to it. */
  #afterCr = false;
  #event: string | undefined;
  #data: string | undefined;
  #size = 0;
  #hasComment = false;
  /** How many more lines without data are allowed. */
  #spareLines = MAX_SPARE_LINES;
  /** Then no character is incomplete, either. */
  #afterLf = true;

  constructor(maxEventChars = MAX_EVENT_CHARS) {
    this.#maxEventChars = maxEventChars;
  }

  push(bytes: Uint8Array): SseEvent[] {
    if (bytes.length > 0) this.#afterLf = bytes[bytes.length - 1] === LF;
    let more = this.#decoder.decode(bytes, STREAM);
    if (more === '') return [];
    if (this.#isFresh() && more.length <= this.#maxEventChars && isOneEvent(more)) {
      return [{ event: undefined, data: more.slice(DATA.length, -2) }];
    }
    if (this.#afterCr && more.startsWith('\n')) more = more.slice(1);
    this.#afterCr = more.endsWith('\r');
    const events: SseEvent[] = [];
    let start = 0;
    // Searches only the new bytes, because a long line in many chunks would otherwise be searched again for each chunk.
    if (more.includes('\r')) {
      for (const end of more.matchAll(LINE_END)) {
        this.#endLine(more.slice(start, end.index), events);
        start = end.index + end[0].length;
      }
    } else {
      for (let end = more.indexOf('\n'); end >= 0; end = more.indexOf('\n', start)) {
        this.#endLine(more.slice(start, end), events);
        start = end + 1;
      }
    }
    this.#begun += more.slice(start);
    if (this.#size + this.#begun.length > this.#maxEventChars) throw new SseTooLong('an event is too long');
    return events;
  }

  /** The end of the body: returns the last event if only its empty line is missing. */
  end(): SseEvent | undefined {
    const events: SseEvent[] = [];
    const rest = this.#begun + this.#decoder.decode();
    this.#begun = '';
    if (rest !== '') this.#takeLine(rest, events);
    this.#takeLine('', events);
    return events.find(isWhole);
  }

  /** Everything was read: the next byte begins an event. */
  isAtEvent(): boolean {
    return this.#afterLf && this.#isFresh();
  }

  /** No partial line or event is left. */
  #isFresh(): boolean {
    return (
      this.#begun === '' && !this.#afterCr && this.#data === undefined && this.#event === undefined && !this.#hasComment
    );
  }

  /** Ends the partial line. */
  #endLine(rest: string, events: SseEvent[]): void {
    const line = this.#begun === '' ? rest : this.#begun + rest;
    this.#begun = '';
    this.#takeLine(line, events);
  }

  #takeLine(line: string, events: SseEvent[]): void {
    this.#size += line.length;
    if (this.#size > this.#maxEventChars) throw new SseTooLong('an event is too long');
    if (--this.#spareLines < 0) throw new SseTooLong('there are too many lines without data');
    if (line === '') this.#endEvent(events);
    else if (line.startsWith(':')) this.#hasComment = true;
    else if (isField(line, 'data')) {
      const value = fieldValue(line, 'data');
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      if (value !== '') this.#spareLines = Math.min(this.#spareLines + SPARE_LINES_PER_DATA, MAX_SPARE_LINES);
    } else if (isField(line, 'event')) this.#event = fieldValue(line, 'event');
  }

  #endEvent(events: SseEvent[]): void {
    const event = this.#event;
    const data = this.#data;
    if (data !== undefined || event !== undefined || this.#hasComment) events.push({ event, data });
    this.#event = undefined;
    this.#data = undefined;
    this.#hasComment = false;
    this.#size = 0;
  }
}

function isField(line: string, name: string): boolean {
  return line.startsWith(name) && (line.length === name.length || line.startsWith(':', name.length));
}

function fieldValue(line: string, name: string): string {
  const from = name.length + 1;
  return line.slice(line.startsWith(' ', from) ? from + 1 : from);
}

/** Truncated JSON is neither. */
function isWhole({ data = '' }: SseEvent): boolean {
  return data === '[DONE]' || tryParseJson(data) !== undefined;
}

/** The name may be from an upstream: a line end in it would let the upstream add lines or events. */
export function isEventName(text: string): boolean {
  return !HAS_LINE_END.test(text);
}

export function writeSse(data: string, event?: string): string {
  const lines = HAS_LINE_END.test(data) ? data.replace(LINE_END, `\n${DATA}`) : data;
  if (event === undefined) return `${DATA}${lines}\n\n`;
  assert(isEventName(event), 'an event has a name of one line');
  return `event: ${event}\n${DATA}${lines}\n\n`;
}
