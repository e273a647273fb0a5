// The events of an upstream's stream. Events that were read are taken without waiting; `wait` reads more bytes. The feed fails
// as soon as its watch aborts, whatever the upstream is doing.
//
//   idle    → reading  there is a waiter (wait)
//   reading → idle     bytes arrived, and there is no waiter
//   idle, reading → over     the body has ended, or the feed was closed (close)
//   any     → failed   the watch aborted, the connection failed, or the upstream sent too much. The first reason counts, except
//                      that an abort replaces it

import type { StreamEvent, StreamReader } from '../dialects/dialect.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { EventBuffer } from './event-buffer.ts';
import type { Watch } from './watch.ts';

export interface Waiter {
  /** Sends bytes that begin with an event. Returns how many it took; PAUSED: all of them, and it will call `wait` itself. */
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
  /** More than this is a flood. */
  maxBytes: number;
}

export const PAUSED = -1;
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
  /** `complete`: at the last wait, with no output since. `report_only`: the gateway ended it, and waits for its usage. */
  #answer: 'unfinished' | 'complete' | 'report_only' = 'unfinished';
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

  /** The same without a promise, so that one waiter serves all waits of a stream. */
  wait(waiting: Waiter): void {
    if (this.#state === 'failed') this.#settleFailed(waiting);
    else if (this.#buffer.hasBytes) waiting.resolve(true);
    else if (this.#state === 'over') this.#settleEnded(waiting);
    else {
      this.#waiter = waiting;
      if (this.#source && this.#state === 'idle') void this.#readSource(this.#source);
    }
  }

  /** The `data` of the last event, as the upstream sent it. */
  lastData(): string | undefined {
    return this.#buffer.lastData();
  }

  /** The bytes of the last event, if they contained nothing else. */
  lastEventBytes(): Uint8Array | undefined {
    return this.#buffer.lastEventBytes();
  }

  /** Events that were taken are the next ones again. */
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

  /** The watch has aborted. */
  handleEvent(): void {
    this.#state = 'failed';
    this.#reason = this.#watch.signal.reason;
    this.#watch.stopIdleTimer();
    this.#wakeWaiter();
    this.#cancelSource();
  }

  #settleFailed(waiting: Waiter): void {
    if (this.#buffer.fail()) waiting.resolve(true);
    else waiting.reject(this.#reason);
  }

  #settleEnded(waiting: Waiter): void {
    try {
      waiting.resolve(this.#buffer.end());
    } catch (error) {
      waiting.reject(error);
    }
  }

  /** Settles the wait if that is possible now. */
  #wakeWaiter(): void {
    const waiting = this.#takeWaiter();
    if (waiting) this.wait(waiting);
  }

  #takeWaiter(): Waiter | undefined {
    const waiting = this.#waiter;
    this.#waiter = undefined;
    return waiting;
  }

  /** Reads as long as there is a waiter. */
  async #readSource(source: ByteSource): Promise<void> {
    this.#state = 'reading';
    try {
      while (this.#waiter) {
        this.#limitWait();
        const { done, value } = await source.read();
        this.#watch.stopIdleTimer();
        this.#take(done, value);
      }
    } catch (reason) {
      this.#fail(reason);
    }
    if (this.#state === 'reading') this.#state = 'idle';
  }

  /** The gateway has ended the answer, and the upstream has yet to send its usage. */
  expectReport(): void {
    this.#answer = 'report_only';
  }

  #limitWait(): void {
    const { idleMs } = this.#limits;
    const wasComplete = this.#answer === 'complete';
    if (this.#answer !== 'report_only') this.#answer = this.#reader.isFinished() ? 'complete' : 'unfinished';
    const isComplete = this.#answer === 'complete';
    const limitMs = isComplete ? Math.min(idleMs, AFTER_ANSWER_MS) : idleMs;
    this.#watch.startIdleTimer(limitMs, { continues: wasComplete && isComplete });
  }

  #noteOutput(): void {
    if (this.#answer === 'complete') this.#answer = 'unfinished';
  }

  #end(): void {
    if (this.#state !== 'failed') this.#state = 'over';
  }

  #take(isLast: boolean, bytes: Uint8Array | undefined): void {
    if (isLast) this.#end();
    this.#total += bytes?.byteLength ?? 0;
    if (this.#total > this.#limits.maxBytes) this.#noteFailure(new AttemptFailed('flood'));
    const rest = bytes && this.#mayPass(bytes) ? this.#passThrough(bytes) : bytes;
    this.#buffer.setBytes(rest);
    if (rest || isLast || this.#state === 'failed') this.#wakeWaiter();
  }

  #fail(reason: unknown): void {
    this.#watch.stopIdleTimer();
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

  /** Returns the bytes that the waiter did not take. */
  #passThrough(bytes: Uint8Array): Uint8Array | undefined {
    const taken = this.#waiter?.passBytes?.(bytes) ?? 0;
    if (taken !== 0) this.#noteOutput();
    if (taken === PAUSED) this.#waiter = undefined;
    if (taken === PAUSED || taken === bytes.byteLength) return undefined;
    return taken === 0 ? bytes : bytes.subarray(taken);
  }

  #cancelSource(): void {
    this.#source?.cancel().catch(() => {});
  }
}
