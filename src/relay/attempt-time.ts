// The time limit of one attempt. It pauses while a slow client holds up the stream, because that says nothing about the
// channel; the limit of the whole request does not pause. The error names which limit was reached.

import { type Clock, MINUTE_MS } from '../kit/clock.ts';
import type { TaskListener } from '../kit/timer-lists.ts';

/** If the client held up its stream for this long in total, the client is why the request ran out of time. */
const MAX_HELD_MS = MINUTE_MS;

export type TimeUp = 'too_slow' | 'client_gone';

export interface Timed {
  onTimeUp(outcome: TimeUp): void;
}

export class AttemptTime implements TaskListener {
  readonly #clock: Clock;
  readonly #timed: Timed;
  /** When the attempt's own time last began to run. */
  #left = 0;
  /** When the request as a whole must be over. */
  #until = 0;
  #since = 0;
  #heldMs = 0;
  #isHeld = false;
  /** The time of the request as a whole is the one that runs out first. */
  #endsWhole = false;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, timed: Timed) {
    this.#clock = clock;
    this.#timed = timed;
  }

  /** Also starts it again. */
  start(ms: number, until: number): void {
    this.#left = ms;
    this.#until = until;
    this.#run();
  }

  /** The client does not read at the moment. */
  holdUp(): void {
    const now = this.#clock.monotonic();
    this.#left -= now - this.#since;
    this.#since = now;
    this.#isHeld = true;
    this.#endsWhole = true;
    this.#set(this.#until - now);
  }

  /** The client reads again. */
  goOn(): void {
    this.#heldMs = this.#heldSoFar();
    this.#isHeld = false;
    this.#run();
  }

  /** The time is up. */
  onTime(): void {
    const isClients = this.#endsWhole && this.#heldSoFar() >= MAX_HELD_MS;
    this.#timed.onTimeUp(isClients ? 'client_gone' : 'too_slow');
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #run(): void {
    const now = this.#clock.monotonic();
    const wholeLeft = this.#until - now;
    this.#since = now;
    this.#endsWhole = wholeLeft < this.#left;
    this.#set(Math.min(this.#left, wholeLeft));
  }

  #heldSoFar(): number {
    return this.#heldMs + (this.#isHeld ? this.#clock.monotonic() - this.#since : 0);
  }

  #set(ms: number): void {
    this.#cancel?.();
    this.#cancel = this.#clock.after(Math.max(1, ms), this);
  }
}
