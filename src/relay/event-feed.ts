// The events of an upstream's stream. What was read is taken without waiting; one wait brings the next bytes. It ends at
// once when the watch does, whatever the upstream is doing.

import type { StreamEvent, StreamReader } from '../dialects/dialect.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { EventBuffer } from './event-buffer.ts';
import type { Watch } from './watch.ts';

export interface Waiter {
  /** Passes on bytes that begin with an event. Answers how many it took; HELD_UP: all of them, and it will call `wait` itself. */
  passBytes?(bytes: Uint8Array): number;
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

export interface FeedLimits {
  idleMs: number;
  /** More than this is no answer but a flood. */
  maxBytes: number;
}

export const HELD_UP = -1;
/** After the answer itself is whole: for usage and the end mark together, which some upstreams never send. */
const LAST_WORDS_MS = 500;

/** The time in which nobody asks for more, because the client reads slowly, does not count as idle. */
export function createEventFeed(
  response: Response,
  reader: StreamReader,
  watch: Watch,
  { idleMs, maxBytes }: FeedLimits,
): EventFeed {
  const source = response.body?.getReader();
  const buffer = new EventBuffer(reader, () => noteFailure(new AttemptFailed('flood')));
  let total = 0;
  let isReading = false;
  let isOver = source === undefined;
  /** The answer was whole when it was last waited for, and no word came since. */
  let isWhole = false;
  /** The first one counts. */
  let failure: { reason: unknown } | undefined;
  let waiter: Waiter | undefined;

  function wait(waiting: Waiter): void {
    if (watch.signal.aborted) tellFailure(waiting, watch.signal.reason);
    else if (failure) tellFailure(waiting, failure.reason);
    else if (buffer.hasBytes) waiting.resolve(true);
    else if (isOver) tellEnd(waiting);
    else {
      waiter = waiting;
      if (!isReading) readSource();
    }
  }

  function tellFailure(waiting: Waiter, reason: unknown): void {
    if (buffer.breakOff()) waiting.resolve(true);
    else waiting.reject(reason);
  }

  function tellEnd(waiting: Waiter): void {
    try {
      waiting.resolve(buffer.end());
    } catch (error) {
      waiting.reject(error);
    }
  }

  /** Whoever waits is told, or waits on. */
  function tellWaiter(): void {
    const waiting = waiter;
    waiter = undefined;
    if (waiting) wait(waiting);
  }

  function readSource(): void {
    isReading = true;
    const goesOn = isWhole;
    isWhole = reader.isFinished();
    watch.wait(isWhole ? Math.min(idleMs, LAST_WORDS_MS) : idleMs, { goesOn: goesOn && isWhole });
    source?.read().then(onRead, onFailure);
  }

  function onRead({ done, value }: { done: boolean; value?: Uint8Array | undefined }): void {
    isReading = false;
    watch.rest();
    if (done) isOver = true;
    total += value?.byteLength ?? 0;
    if (total > maxBytes) noteFailure(new AttemptFailed('flood'));
    const rest = value && mayPass(value) ? passOver(value) : value;
    buffer.bring(rest);
    if (rest || done || failure) tellWaiter();
    else if (waiter) readSource();
  }

  function onFailure(reason: unknown): void {
    isReading = false;
    watch.rest();
    noteFailure(reason);
    tellWaiter();
  }

  function noteFailure(reason: unknown): void {
    failure ??= { reason };
  }

  function mayPass(bytes: Uint8Array): boolean {
    return waiter?.passBytes !== undefined && !failure && buffer.mayPass(bytes);
  }

  /** What whoever waits did not take, and must be read as events. */
  function passOver(bytes: Uint8Array): Uint8Array | undefined {
    const taken = waiter?.passBytes?.(bytes) ?? 0;
    if (taken !== 0) isWhole = false;
    if (taken === HELD_UP) waiter = undefined;
    if (taken === HELD_UP || taken === bytes.byteLength) return undefined;
    return taken === 0 ? bytes : bytes.subarray(taken);
  }

  function cancelSource(): void {
    source?.cancel().catch(() => {});
  }

  function onAbort(): void {
    onFailure(watch.signal.reason);
    cancelSource();
  }
  if (watch.signal.aborted) onAbort();
  else watch.signal.addEventListener('abort', onAbort, { once: true });

  return {
    next() {
      const event = buffer.next();
      if (event?.kind === 'output') isWhole = false;
      return event;
    },
    more: () => new Promise((resolve, reject) => wait({ resolve, reject })),
    wait,
    heard: () => buffer.heard(),
    alone: () => buffer.alone(),
    putBack: (events) => buffer.putBack(events),
    interrupt(reason) {
      const waiting = waiter;
      waiter = undefined;
      waiting?.reject(reason);
    },
    close() {
      isOver = true;
      buffer.close();
      cancelSource();
    },
  };
}
