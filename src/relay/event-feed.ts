// The events of an upstream's stream. What was read is taken without waiting; one wait brings the next bytes. It ends at
// once when the watch does, whatever the upstream is doing.

import type { StreamEvent, StreamReader } from '../dialects/dialect.ts';
import { createSseReader, isKeepAlive, type SseEvent, SseTooLong } from '../dialects/sse.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { MAX_ANSWER_BYTES } from './read-body.ts';
import type { Watch } from './watch.ts';

export interface Waiter {
  /** Takes bytes that begin with an event as they are; how many it took, or HELD_UP: all, and it will wait anew. */
  take?(bytes: Uint8Array): number;
  resolve(hasMore: boolean): void;
  reject(reason: unknown): void;
}

export interface EventFeed {
  /** The next event of what was read; undefined when more must be read. Throws AttemptFailed. */
  next(): StreamEvent | undefined;
  /** Waits for the upstream; false when everything has been said. Rejects when the watch ends or the upstream breaks. */
  more(): Promise<boolean>;
  /** The same without a promise: one waiter may serve all the waits of a stream. */
  wait(waiter: Waiter): void;
  /** What the upstream said, as it came, when it said the last event. */
  heard(): string | undefined;
  /** The bytes that the last event came in, if nothing else came in them. */
  alone(): Uint8Array | undefined;
  /** Events that were taken come first again. */
  putBack(events: readonly StreamEvent[]): void;
  /** Ends the wait of whoever waits now, but not the stream. */
  interrupt(reason: unknown): void;
  /** Nothing is read any more. */
  close(): void;
}

export const HELD_UP = -1;
/** Events before the first word, or after the last: more than this is no answer but a flood. */
export const MAX_WORDLESS_EVENTS = 1_000;
/** A slow client may leave this waiting for long, so only a little of a large piece is split at a time. */
const SPLIT_BYTES = 16 * 1024;
/** After the answer itself is whole: for usage and the end mark, which some upstreams never send. */
const LAST_WORDS_MS = 500;

/** The time in which nobody asks for more, because the client reads slowly, does not count as idle. */
export function createEventFeed(response: Response, reader: StreamReader, watch: Watch, idleMs: number): EventFeed {
  const source = response.body?.getReader();
  const sse = createSseReader();
  /** Read and not yet split; split and not yet read as events; events not yet taken. */
  let bytes: Uint8Array | undefined;
  let split: readonly SseEvent[] = [];
  let splitAt = 0;
  /** What was split, if it began and ended with an event. */
  let whole: Uint8Array | undefined;
  let events: readonly StreamEvent[] = [];
  let eventsAt = 0;
  let total = 0;
  let held = 0;
  let isReading = false;
  let isOver = source === undefined;
  let hasEnded = false;
  let failure: { reason: unknown } | undefined;
  let waiter: Waiter | undefined;

  function cancel(): void {
    source?.cancel().catch(() => {});
  }

  function answer(): void {
    const waiting = waiter;
    waiter = undefined;
    if (waiting) wait(waiting);
  }

  function fail(reason: unknown): void {
    isReading = false;
    watch.rest();
    failure ??= { reason };
    answer();
  }

  function take({ done, value }: { done: boolean; value?: Uint8Array | undefined }): void {
    isReading = false;
    watch.rest();
    if (done) isOver = true;
    total += value?.byteLength ?? 0;
    if (total > MAX_ANSWER_BYTES) failure ??= { reason: new AttemptFailed('flood') };
    bytes = value && isShort(value) ? passOver(value) : value;
    if (bytes || done || failure) answer();
    else if (waiter) read();
  }

  /** It can be passed as it is, if whoever waits knows how. */
  function isShort({ byteLength }: Uint8Array): boolean {
    return waiter?.take !== undefined && !failure && byteLength <= SPLIT_BYTES && sse.isAtEvent();
  }

  /** What must be read as events. */
  function passOver(from: Uint8Array): Uint8Array | undefined {
    const taken = waiter?.take?.(from) ?? 0;
    if (taken === HELD_UP) waiter = undefined;
    if (taken === HELD_UP || taken === from.byteLength) return undefined;
    return taken === 0 ? from : from.subarray(taken);
  }

  function read(): void {
    isReading = true;
    watch.wait(reader.isFinished() ? Math.min(idleMs, LAST_WORDS_MS) : idleMs);
    source?.read().then(take, fail);
  }

  function splitMore(from: Uint8Array): void {
    bytes = from.byteLength > SPLIT_BYTES ? from.subarray(SPLIT_BYTES) : undefined;
    splitAt = 0;
    const isWhole = !bytes && sse.isAtEvent();
    try {
      split = sse.push(bytes ? from.subarray(0, SPLIT_BYTES) : from);
      whole = isWhole && sse.isAtEvent() ? from : undefined;
    } catch (error) {
      if (!(error instanceof SseTooLong)) throw error;
      split = [];
      bytes = undefined;
      failure ??= { reason: new AttemptFailed('flood') };
    }
  }

  function readPiece(piece: SseEvent): readonly StreamEvent[] {
    const read = reader.read(piece);
    const brokenAt = read.findIndex(({ kind }) => kind === 'broken');
    if (brokenAt < 0) return read;
    if (brokenAt === 0 && isKeepAlive(piece.event)) return [];
    return [...read.slice(0, brokenAt), ...lastWords(), ...read.slice(brokenAt)];
  }

  /** What the reader of a whole answer has kept back for its end, when the upstream fails before that. */
  function lastWords(): readonly StreamEvent[] {
    if (hasEnded || !reader.isFinished()) return [];
    hasEnded = true;
    return reader.end();
  }

  function countHeld(): void {
    if (++held > MAX_WORDLESS_EVENTS) throw new AttemptFailed('flood');
  }

  function wait(waiting: Waiter): void {
    if (watch.signal.aborted) tellFailure(waiting, watch.signal.reason);
    else if (failure) tellFailure(waiting, failure.reason);
    else if (bytes) waiting.resolve(true);
    else if (isOver) tellEnd(waiting);
    else {
      waiter = waiting;
      if (!isReading) read();
    }
  }

  function tellFailure(waiting: Waiter, reason: unknown): void {
    events = lastWords();
    eventsAt = 0;
    if (events.length > 0) waiting.resolve(true);
    else waiting.reject(reason);
  }

  function tellEnd(waiting: Waiter): void {
    try {
      const last = hasEnded ? undefined : sse.end();
      if (last) {
        split = [last];
        splitAt = 0;
      } else {
        events = hasEnded ? [] : reader.end();
        eventsAt = 0;
        hasEnded = true;
      }
      waiting.resolve(last !== undefined || events.length > 0);
    } catch (error) {
      waiting.reject(error);
    }
  }

  function onAbort(): void {
    fail(watch.signal.reason);
    cancel();
  }
  if (watch.signal.aborted) onAbort();
  else watch.signal.addEventListener('abort', onAbort, { once: true });

  return {
    next() {
      for (;;) {
        const event = events[eventsAt];
        if (event) {
          eventsAt++;
          return event;
        }
        const piece = split[splitAt];
        if (piece) {
          splitAt++;
          if (!piece.data) continue;
          events = readPiece(piece);
          eventsAt = 0;
          for (const { kind } of events) if (kind === 'held') countHeld();
        } else if (bytes) splitMore(bytes);
        else {
          split = [];
          events = [];
          whole = undefined;
          return undefined;
        }
      }
    },
    more: () => new Promise((resolve, reject) => wait({ resolve, reject })),
    wait,
    heard: () => split[splitAt - 1]?.data,
    alone: () => (split.length === 1 && events.length === 1 ? whole : undefined),
    putBack(taken) {
      events = [...taken, ...events.slice(eventsAt)];
      eventsAt = 0;
    },
    interrupt(reason) {
      const waiting = waiter;
      waiter = undefined;
      waiting?.reject(reason);
    },
    close() {
      isOver = true;
      hasEnded = true;
      bytes = undefined;
      whole = undefined;
      split = [];
      events = [];
      cancel();
    },
  };
}
