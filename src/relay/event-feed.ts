// The events of an upstream's stream. What was read is taken without waiting; one wait brings the next bytes. It ends at
// once when the watch does, whatever the upstream is doing.
//
//   idle    → reading  somebody waits (wait)
//   reading → idle     bytes came, and nobody waits for more
//   idle, reading → over     the upstream's body has ended, or nothing more is wanted (close)
//   any     → failed   the watch ended, the upstream broke, or it sends too much. Of several reasons the first counts, unless
//                      the watch ended, too

import type { StreamEvent, StreamReader } from '../dialects/dialect.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { EventBuffer } from './event-buffer.ts';
import type { Watch } from './watch.ts';

export interface Waiter {
  /** Passes on bytes that begin with an event. Returns how many it took; HELD_UP: all of them, and it will call `wait` itself. */
  passBytes?(bytes: Uint8Array): number;
  resolve(hasMore: boolean): void;
  reject(reason: unknown): void;
}

export interface ByteSource {
  read(): Promise<ReadableStreamReadResult<Uint8Array>>;
  cancel(): Promise<void>;
}

interface FeedLimits {
  idleMs: number;
  /** More than this is no answer but a flood. */
  maxBytes: number;
}

export const HELD_UP = -1;
/** How long to wait for usage and the end mark after a complete answer: some upstreams never send them. */
const AFTER_ANSWER_MS = 500;

/** Time in which nothing is requested, because the client reads slowly, does not count as idle. */
export class EventFeed implements EventListenerObject {
  readonly #reader: StreamReader;
  readonly #watch: Watch;
  readonly #limits: FeedLimits;
  readonly #source: ByteSource | undefined;
  readonly #buffer: EventBuffer;
  #total = 0;
  #state: 'idle' | 'reading' | 'over' | 'failed';
  /** Why it has failed. */
  #reason: unknown;
  /** `whole`: complete at the last wait, with no output since. `ended_here`: only the report is awaited. */
  #answer: 'going_on' | 'whole' | 'ended_here' = 'going_on';
  #waiter: Waiter | undefined;

  constructor(source: ByteSource | undefined, reader: StreamReader, watch: Watch, limits: FeedLimits) {
    this.#reader = reader;
    this.#watch = watch;
    this.#limits = limits;
    this.#source = source;
    this.#buffer = new EventBuffer(reader, () => this.#noteFailure(new AttemptFailed('flood')));
    this.#state = source ? 'idle' : 'over';
    if (watch.signal.aborted) this.handleEvent();
    else watch.signal.addEventListener('abort', this, { once: true });
  }

  /** The next event of what was read; undefined when more must be read. Throws AttemptFailed. */
  next(): StreamEvent | undefined {
    const event = this.#buffer.next();
    if (event?.kind === 'output') this.#noteOutput();
    return event;
  }

  /** Waits for the upstream; false at the end of the stream. Rejects when the watch ends or the upstream breaks. */
  more(): Promise<boolean> {
    const waiting = Promise.withResolvers<boolean>();
    this.wait(waiting);
    return waiting.promise;
  }

  /** The same without a promise: one waiter can be reused for all waits of a stream. */
  wait(waiting: Waiter): void {
    if (this.#state === 'failed') this.#settleFailed(waiting);
    else if (this.#buffer.hasBytes) waiting.resolve(true);
    else if (this.#state === 'over') this.#settleEnded(waiting);
    else {
      this.#waiter = waiting;
      if (this.#source && this.#state === 'idle') void this.#readSource(this.#source);
    }
  }

  /** The upstream's own text of the last event. */
  heard(): string | undefined {
    return this.#buffer.heard();
  }

  /** The bytes that the last event came in, if nothing else came in them. */
  alone(): Uint8Array | undefined {
    return this.#buffer.alone();
  }

  /** Events that were taken come first again. */
  putBack(events: readonly StreamEvent[]): void {
    this.#buffer.putBack(events);
  }

  /** Ends the current wait, but not the stream. */
  interrupt(reason: unknown): void {
    this.#takeWaiter()?.reject(reason);
  }

  /** Stops reading. */
  close(): void {
    this.#end();
    this.#buffer.close();
    this.#cancelSource();
  }

  /** The watch has ended: the only event that is listened to. */
  handleEvent(): void {
    this.#state = 'failed';
    this.#reason = this.#watch.signal.reason;
    this.#watch.rest();
    this.#wakeWaiter();
    this.#cancelSource();
  }

  #settleFailed(waiting: Waiter): void {
    if (this.#buffer.breakOff()) waiting.resolve(true);
    else waiting.reject(this.#reason);
  }

  #settleEnded(waiting: Waiter): void {
    try {
      waiting.resolve(this.#buffer.end());
    } catch (error) {
      waiting.reject(error);
    }
  }

  /** Settles the wait if it can be settled now; otherwise it goes on. */
  #wakeWaiter(): void {
    const waiting = this.#takeWaiter();
    if (waiting) this.wait(waiting);
  }

  #takeWaiter(): Waiter | undefined {
    const waiting = this.#waiter;
    this.#waiter = undefined;
    return waiting;
  }

  /** Reads as long as somebody waits. */
  async #readSource(source: ByteSource): Promise<void> {
    this.#state = 'reading';
    try {
      while (this.#waiter) {
        this.#limitWait();
        const { done, value } = await source.read();
        this.#watch.rest();
        this.#take(done, value);
      }
    } catch (reason) {
      this.#fail(reason);
    }
    if (this.#state === 'reading') this.#state = 'idle';
  }

  /** The answer was ended here, and the upstream still has its report to send. */
  expectMore(): void {
    this.#answer = 'ended_here';
  }

  #limitWait(): void {
    const { idleMs } = this.#limits;
    const wasWhole = this.#answer === 'whole';
    if (this.#answer !== 'ended_here') this.#answer = this.#reader.isFinished() ? 'whole' : 'going_on';
    const isWhole = this.#answer === 'whole';
    this.#watch.wait(isWhole ? Math.min(idleMs, AFTER_ANSWER_MS) : idleMs, { goesOn: wasWhole && isWhole });
  }

  #noteOutput(): void {
    if (this.#answer === 'whole') this.#answer = 'going_on';
  }

  #end(): void {
    if (this.#state !== 'failed') this.#state = 'over';
  }

  #take(isLast: boolean, bytes: Uint8Array | undefined): void {
    if (isLast) this.#end();
    this.#total += bytes?.byteLength ?? 0;
    if (this.#total > this.#limits.maxBytes) this.#noteFailure(new AttemptFailed('flood'));
    const rest = bytes && this.#mayPass(bytes) ? this.#passOver(bytes) : bytes;
    this.#buffer.bring(rest);
    if (rest || isLast || this.#state === 'failed') this.#wakeWaiter();
  }

  #fail(reason: unknown): void {
    this.#watch.rest();
    this.#noteFailure(reason);
    this.#wakeWaiter();
  }

  #noteFailure(reason: unknown): void {
    if (this.#state === 'failed') return;
    this.#state = 'failed';
    this.#reason = reason;
  }

  #mayPass(bytes: Uint8Array): boolean {
    return this.#waiter?.passBytes !== undefined && this.#state !== 'failed' && this.#buffer.mayPass(bytes);
  }

  /** The bytes that the waiter did not take, which must be read as events. */
  #passOver(bytes: Uint8Array): Uint8Array | undefined {
    const taken = this.#waiter?.passBytes?.(bytes) ?? 0;
    if (taken !== 0) this.#noteOutput();
    if (taken === HELD_UP) this.#waiter = undefined;
    if (taken === HELD_UP || taken === bytes.byteLength) return undefined;
    return taken === 0 ? bytes : bytes.subarray(taken);
  }

  #cancelSource(): void {
    this.#source?.cancel().catch(() => {});
  }
}
