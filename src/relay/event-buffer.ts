// Bytes of an upstream's stream in, events out. Nothing here waits: what is there can be taken, and when nothing is left,
// more bytes must be brought. Bytes are split into pieces, and pieces are read as events, only as events are taken.
//
//   open   → ending  no more bytes will come, and the last piece is taken without its end (end)
//   open, ending → ended   the reader has given what it kept back: at the end, or because the upstream failed after a whole
//                          answer; or nothing is wanted any more (close)

import type { StreamEvent, StreamReader } from '../dialects/dialect.ts';
import { isKeepAlive, type SseEvent, SseReader, SseTooLong } from '../dialects/stream/sse.ts';
import { AttemptFailed } from './attempt-failed.ts';

/** Events before the first output, or after the last: more than this is a flood. */
export const MAX_WORDLESS_EVENTS = 1_000;
/** A slow client may leave this waiting for long, so only a little of a large piece is split at a time. */
const SPLIT_BYTES = 16 * 1024;
const NOTHING: readonly never[] = [];

export class EventBuffer {
  readonly #reader: StreamReader;
  readonly #onTooLong: () => void;
  readonly #sse = new SseReader();
  /** Brought and not yet split. */
  #bytes: Uint8Array | undefined;
  /** Split and not yet read as events. */
  #split: readonly SseEvent[] = NOTHING;
  #splitAt = 0;
  /** What was split, if it began and ended with an event. */
  #whole: Uint8Array | undefined;
  /** Events not yet taken. */
  #events: readonly StreamEvent[] = NOTHING;
  #eventsAt = 0;
  #heldCount = 0;
  #state: 'open' | 'ending' | 'ended' = 'open';

  /** `onTooLong`: an event has no end; of it and of what follows, nothing is given. */
  constructor(reader: StreamReader, onTooLong: () => void) {
    this.#reader = reader;
    this.#onTooLong = onTooLong;
  }

  /** The next event; undefined when more bytes are needed. Throws AttemptFailed. */
  next(): StreamEvent | undefined {
    for (;;) {
      const event = this.#events[this.#eventsAt];
      if (event) {
        this.#eventsAt++;
        return event;
      }
      const piece = this.#split[this.#splitAt];
      if (piece) {
        this.#splitAt++;
        if (piece.data) this.#readPiece(piece);
      } else if (this.#bytes) this.#splitMore(this.#bytes);
      else {
        this.#forget();
        return undefined;
      }
    }
  }

  get hasBytes(): boolean {
    return this.#bytes !== undefined;
  }

  /** Only when those before are used up. */
  bring(bytes: Uint8Array | undefined): void {
    this.#bytes = bytes;
  }

  /** Bytes that come now begin with an event, and are so few that they may be looked at in one go. */
  mayPass({ byteLength }: Uint8Array): boolean {
    return byteLength <= SPLIT_BYTES && this.#sse.isAtEvent();
  }

  /** The upstream's own text of the last event. */
  heard(): string | undefined {
    return this.#split[this.#splitAt - 1]?.data;
  }

  /** The bytes that the last event came in, if nothing else came in them. */
  alone(): Uint8Array | undefined {
    return this.#split.length === 1 && this.#events.length === 1 ? this.#whole : undefined;
  }

  putBack(taken: readonly StreamEvent[]): void {
    this.#give([...taken, ...this.#events.slice(this.#eventsAt)]);
  }

  /** No more bytes will come; whether there are events that waited for that. */
  end(): boolean {
    const last = this.#state === 'open' ? this.#sse.end() : undefined;
    if (last) {
      this.#state = 'ending';
      this.#split = [last];
      this.#splitAt = 0;
      return true;
    }
    this.#give(this.#endReader());
    return this.#events.length > 0;
  }

  /** The upstream has failed; whether there are events all the same, because the answer was whole before that. */
  breakOff(): boolean {
    this.#give(this.#lastWords());
    return this.#events.length > 0;
  }

  close(): void {
    this.#state = 'ended';
    this.#bytes = undefined;
    this.#forget();
  }

  #forget(): void {
    this.#split = NOTHING;
    this.#whole = undefined;
    this.#events = NOTHING;
  }

  #give(events: readonly StreamEvent[]): void {
    this.#events = events;
    this.#eventsAt = 0;
  }

  #splitMore(from: Uint8Array): void {
    const rest = from.byteLength > SPLIT_BYTES ? from.subarray(SPLIT_BYTES) : undefined;
    const isWhole = !rest && this.#sse.isAtEvent();
    this.#bytes = rest;
    this.#splitAt = 0;
    try {
      this.#split = this.#sse.push(rest ? from.subarray(0, SPLIT_BYTES) : from);
      this.#whole = isWhole && this.#sse.isAtEvent() ? from : undefined;
    } catch (error) {
      if (!(error instanceof SseTooLong)) throw error;
      this.#split = NOTHING;
      this.#bytes = undefined;
      this.#onTooLong();
    }
  }

  #readPiece(piece: SseEvent): void {
    const events = this.#eventsOf(piece);
    this.#give(events);
    for (const { kind } of events) {
      if (kind === 'held' && ++this.#heldCount > MAX_WORDLESS_EVENTS) throw new AttemptFailed('flood');
    }
  }

  #eventsOf(piece: SseEvent): readonly StreamEvent[] {
    const events = this.#reader.read(piece);
    const brokenAt = events.findIndex(isBroken);
    if (brokenAt < 0) return events;
    if (brokenAt === 0 && isKeepAlive(piece.event)) return NOTHING;
    return [...events.slice(0, brokenAt), ...this.#lastWords(), ...events.slice(brokenAt)];
  }

  /** Events that the reader of a whole answer keeps until its end. */
  #lastWords(): readonly StreamEvent[] {
    return this.#reader.isFinished() ? this.#endReader() : NOTHING;
  }

  #endReader(): readonly StreamEvent[] {
    if (this.#state === 'ended') return NOTHING;
    this.#state = 'ended';
    return this.#reader.end();
  }
}

function isBroken({ kind }: StreamEvent): boolean {
  return kind === 'broken';
}
