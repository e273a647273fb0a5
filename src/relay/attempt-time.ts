// The time limit of one attempt, and of the whole request. The limit of the attempt pauses while a slow client blocks the
// stream, because the channel is not the reason; the limit of the request does not.

import { type Clock, MINUTE_MS } from '../kit/clock.ts';
import type { TaskListener } from '../kit/timer-lists.ts';

/** A request that runs out of time after pauses of this length ends as `client_gone`: the client was the reason. */
const MAX_PAUSED_MS = MINUTE_MS;

export type TimeUp = 'too_slow' | 'client_gone';

export interface Timed {
  onTimeUp(outcome: TimeUp): void;
}

export class AttemptTime implements TaskListener {
  readonly #clock: Clock;
  readonly #timed: Timed;
  /** Time left for the attempt itself, at `#since`. */
  #leftMs = 0;
  /** When the request as a whole must be over. */
  #deadline = 0;
  /** When the time last began to run, or to pause. */
  #since = 0;
  #state: 'running' | 'paused' = 'running';
  /** The pauses before the current one. */
  #pausedMs = 0;
  /** The limit that the timer is set for. */
  #nextLimit: 'attempt' | 'request' = 'attempt';
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, timed: Timed) {
    this.#clock = clock;
    this.#timed = timed;
  }

  /** Also restarts it. */
  start(ms: number, deadline: number): void {
    this.#leftMs = ms;
    this.#deadline = deadline;
    this.#run();
  }

  /** The client does not read at the moment. */
  pause(): void {
    const now = this.#clock.monotonic();
    this.#leftMs -= now - this.#since;
    this.#since = now;
    this.#state = 'paused';
    this.#setTimer('request', this.#deadline - now);
  }

  /** The client reads again. */
  resume(): void {
    this.#pausedMs = this.#totalPausedMs();
    this.#state = 'running';
    this.#run();
  }

  onTime(): void {
    const isClients = this.#nextLimit === 'request' && this.#totalPausedMs() >= MAX_PAUSED_MS;
    this.#timed.onTimeUp(isClients ? 'client_gone' : 'too_slow');
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #run(): void {
    const now = this.#clock.monotonic();
    const requestLeftMs = this.#deadline - now;
    this.#since = now;
    if (requestLeftMs < this.#leftMs) this.#setTimer('request', requestLeftMs);
    else this.#setTimer('attempt', this.#leftMs);
  }

  #totalPausedMs(): number {
    return this.#pausedMs + (this.#state === 'paused' ? this.#clock.monotonic() - this.#since : 0);
  }

  #setTimer(limit: 'attempt' | 'request', ms: number): void {
    this.#nextLimit = limit;
    this.#cancel?.();
    this.#cancel = this.#clock.after(Math.max(1, ms), this);
  }
}
