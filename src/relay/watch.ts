// The limits on one attempt: one abort signal, which the leaving client, a drain or a timer can trigger, and which records
// the reason.
//
//   new     → silent     the request is sent, and another channel may be tried when it is late (limitSilence)
//   new     → late       the same without another channel
//   silent  → late       `lateMs` passed without output: the listener may try another channel
//   new, silent, late → answering   output, or enough of a whole answer, arrived; or the watch ended (stopSilenceTimer)
//   any     → failed     the client left, the gateway drains, a time limit was reached, or the owner stops it (abort)

import { hasNoConnection } from '../channels/limit-connect.ts';
import { assert } from '../kit/assert.ts';
import type { Clock } from '../kit/clock.ts';
import type { TaskListener } from '../kit/timer-lists.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { AttemptTime, type Timed, type TimeUp } from './attempt-time.ts';
import type { RelayTools } from './call.ts';
import type { DrainDeadline, DrainListener } from './drain-deadline.ts';
import type { AttemptOutcome } from './outcomes.ts';

/** How long an attempt may go without output. */
export interface SilenceLimits {
  /** After this, another channel is tried. */
  lateMs: number;
  /** After this, it is aborted even if there is no other channel. Infinite for a whole answer. */
  mostMs: number;
}

export interface LateListener {
  onLate(): void;
}

export class Watch implements EventListenerObject, DrainListener, TaskListener, Timed {
  drainIndex = -1;
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #gone: AbortSignal;
  readonly #drainDeadline: DrainDeadline;
  readonly #time: AttemptTime;
  #state: 'new' | 'silent' | 'late' | 'answering' | 'failed' = 'new';
  /** While it is silent or late: stops the timer of that state. */
  #cancelSilence: (() => void) | undefined;
  /** While it is silent: is notified when it is late; and how long it may then be late. */
  #lateListener: LateListener | undefined;
  #lateMs = 0;
  /** Set when it has failed. */
  #failure: AttemptFailed | undefined;
  #idle: IdleTimer | undefined;
  /** When the last bytes arrived; undefined once a stream has output, because its idle timer then measures that. */
  #silentSince: number | undefined;
  /** Handles the end of the time limit instead of an abort. */
  #timeUpListener: Timed | undefined;
  /** Rejects the promise of `until`. */
  #interrupt: ((reason: AttemptFailed) => void) | undefined;

  constructor({ clock, drainDeadline }: Pick<RelayTools, 'clock' | 'drainDeadline'>, gone: AbortSignal) {
    this.#clock = clock;
    this.#gone = gone;
    this.#drainDeadline = drainDeadline;
    this.#time = new AttemptTime(clock, this);
    if (gone.aborted) this.handleEvent();
    if (drainDeadline.signal.aborted) this.onDrainDeadline();
    gone.addEventListener('abort', this, ONCE);
    drainDeadline.listen(this);
  }

  /** The client has left. */
  handleEvent(): void {
    this.abort('client_gone');
  }

  onDrainDeadline(): void {
    this.abort('drained');
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts or restarts the time limit of the attempt; `deadline`: of the whole request. */
  limitTotal(ms: number, deadline = Number.POSITIVE_INFINITY): void {
    this.#time.start(ms, deadline);
  }

  onTimeUp(outcome: TimeUp): void {
    if (this.#timeUpListener) this.#timeUpListener.onTimeUp(outcome);
    else this.abort(outcome);
  }

  /** Undefined: the end of the time limit aborts the attempt again. */
  setTimeUpListener(timed: Timed | undefined): void {
    this.#timeUpListener = timed;
  }

  /** The client does not read: this time does not count for the channel. */
  pause(): void {
    if (this.#state !== 'failed') this.#time.pause();
  }

  resume(): void {
    if (this.#state !== 'failed') this.#time.resume();
    // Nothing was read meanwhile.
    if (this.#silentSince !== undefined) this.noteBytes();
  }

  /** Call it once, before the request is sent. */
  limitSilence({ lateMs, mostMs }: SilenceLimits, late?: LateListener): void {
    if (this.#state === 'failed') return;
    assert(this.#state === 'new', 'silence is limited once, before the request is sent');
    if (late && lateMs < mostMs) {
      this.#lateListener = late;
      this.#lateMs = mostMs - lateMs;
      this.#enter('silent', lateMs);
    } else this.#enter('late', mostMs);
  }

  /** The time of the state `silent` or `late` is over. */
  onTime(): void {
    if (this.#state === 'silent') {
      this.#enter('late', this.#lateMs);
      this.#lateListener?.onLate();
    } else this.abort('silent');
  }

  #enter(state: 'silent' | 'late', ms: number): void {
    this.#state = state;
    this.#cancelSilence = ms < Number.POSITIVE_INFINITY ? this.#clock.after(ms, this) : undefined;
  }

  noteOutput(): void {
    this.stopSilenceTimer();
    this.#silentSince = undefined;
  }

  /** Also called when enough of a whole answer has arrived. */
  stopSilenceTimer(): void {
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
    this.#lateListener = undefined;
    if (this.#state !== 'failed') this.#state = 'answering';
  }

  /** The request was sent, or a part of a whole answer arrived: silence counts from here. */
  noteBytes(): void {
    this.#silentSince = this.#clock.monotonic();
  }

  /** The connection ended: `closed_silent` after a long silence, else `otherwise`. */
  connectionLost(otherwise: 'network_error' | 'cut'): AttemptFailed {
    const since = this.#silentSince;
    const silentMs = since === undefined ? (this.#idle?.waitedMs ?? 0) : this.#clock.monotonic() - since;
    return new AttemptFailed(silentMs > MAX_SILENT_MS ? 'closed_silent' : otherwise);
  }

  /** Aborts as `idle` after so long without bytes; `continues`: the time of the wait before counts, too. */
  startIdleTimer(ms: number, { continues }: { continues: boolean }): void {
    this.#idle ??= new IdleTimer(this.#clock, this);
    this.#idle.start(ms, continues);
  }

  stopIdleTimer(): void {
    this.#idle?.stop();
  }

  abort(outcome: AttemptOutcome): void {
    if (this.#state === 'failed') return;
    this.#state = 'failed';
    this.#failure = new AttemptFailed(outcome);
    this.#controller.abort(this.#failure);
    this.#interrupt?.(this.#failure);
  }

  /** The promise itself, or a rejection as soon as the attempt is aborted. One at a time. */
  until<Value>(value: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      value.then(resolve, reject);
      if (this.#failure) reject(this.#failure);
      this.#interrupt = reject;
    });
  }

  /** The reason for an error that happened under this watch. */
  explain(error: unknown): AttemptFailed {
    if (this.#failure) return this.#failure;
    if (error instanceof AttemptFailed) return error;
    return hasNoConnection(error) ? new AttemptFailed('network_error') : this.connectionLost('network_error');
  }

  /** The attempt continues when the client leaves. */
  ignoreClient(): void {
    this.#gone.removeEventListener('abort', this);
  }

  /** Stops all timers and listeners. Must be called. */
  end(): void {
    this.#time.end();
    this.noteOutput();
    this.#idle?.end();
    this.ignoreClient();
    this.#drainDeadline.forget(this);
  }
}

const ONCE = { once: true };
/** A connection that closes after a longer silence was most likely closed because of it. */
const MAX_SILENT_MS = 5_000;

/** One timer for all the waits of a stream: when it is due, it checks the clock and is set again for the rest. */
class IdleTimer implements TaskListener {
  readonly #clock: Clock;
  readonly #watch: Watch;
  #since = 0;
  #limitMs = 0;
  /** How long the last wait took, with those that it continued. */
  #waited = 0;
  #isWaiting = false;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, watch: Watch) {
    this.#clock = clock;
    this.#watch = watch;
  }

  start(ms: number, continues: boolean): void {
    const waited = continues ? this.#waited : 0;
    this.#since = this.#clock.monotonic() - waited;
    this.#isWaiting = true;
    if (!this.#cancel || ms < this.#limitMs) {
      this.#cancel?.();
      this.#cancel = this.#clock.after(ms - waited, this);
    }
    this.#limitMs = ms;
  }

  get waitedMs(): number {
    return this.#waited;
  }

  stop(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#waited = this.#clock.monotonic() - this.#since;
  }

  end(): void {
    this.#isWaiting = false;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  onTime(): void {
    this.#cancel = undefined;
    if (!this.#isWaiting) return;
    const left = this.#since + this.#limitMs - this.#clock.monotonic();
    if (left > 0) this.#cancel = this.#clock.after(left, this);
    else this.#watch.abort('idle');
  }
}
