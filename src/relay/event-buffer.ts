// Turns the bytes of an upstream's stream into events, without waiting. Bytes are split into server-sent events, and these are
// read as stream events, only as events are taken.
//
//   open         → ending  the body has ended, and its last server-sent event lacks its blank line (end)
//   open, ending → ended   the reader has returned the events that it kept for the end: the body has ended, or the upstream
//                          failed after a complete answer (end, fail); or the buffer was closed (close)

import type { StreamEvent, StreamReader } from '../dialects/dialect.ts';
import { isKeepAlive, type SseEvent, SseReader, SseTooLong } from '../dialects/stream/sse.ts';
import { AttemptFailed } from './attempt-failed.ts';

/** Maximum number of events before the first output, and of events after the last one; more is a flood. */
export const MAX_EVENTS_WITHOUT_OUTPUT = 1_000;
/** A slow client may leave the split events waiting for long, so bytes are split in chunks of this size. */
const SPLIT_BYTES = 16 * 1024;
const NOTHING: readonly never[] = [];

export class EventBuffer {
  readonly #reader: StreamReader;
  readonly #onTooLong: () => void;
  readonly #sse = new SseReader();
  /** Not yet split. */
  #bytes: Uint8Array | undefined;
  /** Split and not yet read as events. */
  #split: readonly SseEvent[] = NOTHING;
  #splitIndex = 0;
  /** The bytes that were split, if they began and ended with an event. */
  #whole: Uint8Array | undefined;
  /** Events not yet taken. */
  #events: readonly StreamEvent[] = NOTHING;
  #eventIndex = 0;
  #heldCount = 0;
  #state: 'open' | 'ending' | 'ended' = 'open';

  /** `onTooLong`: an event exceeds the limit; it and all that follows is discarded. */
  constructor(reader: StreamReader, onTooLong: () => void) {
    this.#reader = reader;
    this.#onTooLong = onTooLong;
  }

  /** The next event; undefined when more bytes are needed. Throws AttemptFailed. */
  next(): StreamEvent | undefined {
    for (;;) {
      const event = this.#events[this.#eventIndex];
      if (event) {
        this.#eventIndex++;
        return event;
      }
      const sent = this.#split[this.#splitIndex];
      if (sent) {
        this.#splitIndex++;
        if (sent.data) this.#readEvents(sent);
      } else if (this.#bytes) this.#splitMore(this.#bytes);
      else {
        this.#clear();
        return undefined;
      }
    }
  }

  get hasBytes(): boolean {
    return this.#bytes !== undefined;
  }

  /** Only when the bytes before are used up. */
  setBytes(bytes: Uint8Array | undefined): void {
    this.#bytes = bytes;
  }

  /** Whether these bytes begin with an event and are few enough to be passed through without being split. */
  mayPass({ byteLength }: Uint8Array): boolean {
    return byteLength <= SPLIT_BYTES && this.#sse.isAtEvent();
  }

  /** The `data` of the last event, as the upstream sent it. */
  lastData(): string | undefined {
    return this.#split[this.#splitIndex - 1]?.data;
  }

  /** The bytes of the last event, if they contained nothing else. */
  lastEventBytes(): Uint8Array | undefined {
    return this.#split.length === 1 && this.#events.length === 1 ? this.#whole : undefined;
  }

  putBack(taken: readonly StreamEvent[]): void {
    this.#setEvents([...taken, ...this.#events.slice(this.#eventIndex)]);
  }

  /** The body has ended. Returns whether there are more events. */
  end(): boolean {
    const last = this.#state === 'open' ? this.#sse.end() : undefined;
    if (last) {
      this.#state = 'ending';
      this.#split = [last];
      this.#splitIndex = 0;
      return true;
    }
    this.#setEvents(this.#endReader());
    return this.#events.length > 0;
  }

  /** The upstream has failed. Returns whether there are more events, because the answer was complete before. */
  fail(): boolean {
    this.#setEvents(this.#finalEvents());
    return this.#events.length > 0;
  }

  close(): void {
    this.#state = 'ended';
    this.#bytes = undefined;
    this.#clear();
  }

  #clear(): void {
    this.#split = NOTHING;
    this.#whole = undefined;
    this.#events = NOTHING;
  }

  #setEvents(events: readonly StreamEvent[]): void {
    this.#events = events;
    this.#eventIndex = 0;
  }

  #splitMore(from: Uint8Array): void {
    const rest = from.byteLength > SPLIT_BYTES ? from.subarray(SPLIT_BYTES) : undefined;
    const isWhole = !rest && this.#sse.isAtEvent();
    this.#bytes = rest;
    this.#splitIndex = 0;
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

  #readEvents(sent: SseEvent): void {
    const events = this.#eventsOf(sent);
    this.#setEvents(events);
    for (const { kind } of events) {
      if (kind === 'held' && ++this.#heldCount > MAX_EVENTS_WITHOUT_OUTPUT) throw new AttemptFailed('flood');
    }
  }

  #eventsOf(sent: SseEvent): readonly StreamEvent[] {
    const events = this.#reader.read(sent);
    const brokenAt = events.findIndex(isBroken);
    if (brokenAt < 0) return events;
    if (brokenAt === 0 && isKeepAlive(sent.event)) return NOTHING;
    return [...events.slice(0, brokenAt), ...this.#finalEvents(), ...events.slice(brokenAt)];
  }

  /** Events that the reader of a complete answer keeps for its end. */
  #finalEvents(): readonly StreamEvent[] {
    return this.#reader.isFinished() ? this.#endReader() : NOTHING;
  }

  #endReader(): readonly StreamEvent[] {
    if (this.#state === 'ended') return NOTHING;
    this.#state = 'ended';
    return this.#reader.end?.() ?? NOTHING;
  }
}

function isBroken({ kind }: StreamEvent): boolean {
  return kind === 'broken';
}
