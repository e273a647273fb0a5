// The limits on one attempt: one abort signal, which the leaving client, a drain or a timer can trigger, and which records
// the reason.
//
//   new     → silent  the upstream is asked, and another channel may be asked if it is late (limitSilence)
//   new     → late    the same, and no other channel will be asked
//   silent  → late    nothing was heard of it for so long: the listener may ask another channel
//   new, silent, late → heard   it speaks, a good part of a whole answer is there, or the watch ends (isNotLate)
//   any     → failed  the client left, the gateway drains, a time ran out, or whoever has the watch ends it (abort)

import { hasNoConnection } from '../channels/limit-connect.ts';
import { assert } from '../kit/assert.ts';
import type { Clock } from '../kit/clock.ts';
import type { TaskListener } from '../kit/timer-lists.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { AttemptTime, type Timed, type TimeUp } from './attempt-time.ts';
import type { RelayTools } from './call.ts';
import type { Cut, CutListener } from './cut.ts';
import type { AttemptOutcome } from './outcomes.ts';

/** How long a try may be silent. */
export interface Patience {
  /** Then another channel is asked. */
  lateMs: number;
  /** Then it is given up, even if no other channel can be asked. A whole answer has the time of its try. */
  mostMs: number;
}

export interface LateListener {
  onLate(): void;
}

export class Watch implements EventListenerObject, CutListener, TaskListener, Timed {
  cutPlace = -1;
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #gone: AbortSignal;
  readonly #cut: Cut;
  readonly #time: AttemptTime;
  #state: 'new' | 'silent' | 'late' | 'heard' | 'failed' = 'new';
  /** While it is silent or late: the timer that ends that. */
  #cancelSilence: (() => void) | undefined;
  /** While it is silent: who is notified that it is late, and how long it may be late. */
  #lateListener: LateListener | undefined;
  #lateMs = 0;
  /** Set when it has failed. */
  #failure: AttemptFailed | undefined;
  #idle: IdleTimer | undefined;
  /** Since when nothing was heard; undefined once a stream has spoken, from when on its idle timer knows. */
  #silentSince: number | undefined;
  /** Decides what the end of the time means, in place of an abort. */
  #whenTimeUp: Timed | undefined;
  /** Ends the wait under this watch. */
  #interrupt: ((reason: AttemptFailed) => void) | undefined;

  constructor({ clock, cut }: Pick<RelayTools, 'clock' | 'cut'>, gone: AbortSignal) {
    this.#clock = clock;
    this.#gone = gone;
    this.#cut = cut;
    this.#time = new AttemptTime(clock, this);
    if (gone.aborted) this.handleEvent();
    if (cut.signal.aborted) this.onCut();
    gone.addEventListener('abort', this, ONCE);
    cut.listen(this);
  }

  /** The client has left: the only event that is listened to. */
  handleEvent(): void {
    this.abort('client_gone');
  }

  onCut(): void {
    this.abort('drained');
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts, or starts again, the time for all of it: so much of its own, and no longer than `until`. */
  limitTotal(ms: number, until = Number.POSITIVE_INFINITY): void {
    this.#time.start(ms, until);
  }

  onTimeUp(outcome: TimeUp): void {
    if (this.#whenTimeUp) this.#whenTimeUp.onTimeUp(outcome);
    else this.abort(outcome);
  }

  /** From here on the end of the time aborts nothing by itself; undefined: it does again. */
  whenTimeUp(timed: Timed | undefined): void {
    this.#whenTimeUp = timed;
  }

  /** The client takes nothing more: until it does, that time is not the channel's. */
  holdUp(): void {
    if (this.#state !== 'failed') this.#time.holdUp();
  }

  goOn(): void {
    if (this.#state !== 'failed') this.#time.goOn();
    // Nothing was read meanwhile.
    if (this.#silentSince !== undefined) this.listen();
  }

  /** The upstream is late, and then silent, if nothing arrives within these times. */
  limitSilence({ lateMs, mostMs }: Patience, late?: LateListener): void {
    if (this.#state === 'failed') return;
    assert(this.#state === 'new', 'silence is limited once, before the upstream is asked');
    if (late && lateMs < mostMs) {
      this.#lateListener = late;
      this.#lateMs = mostMs - lateMs;
      this.#waitAs('silent', lateMs);
    } else this.#waitAs('late', mostMs);
  }

  /** It was silent, or late, for as long as it may be. */
  onTime(): void {
    if (this.#state === 'silent') {
      this.#waitAs('late', this.#lateMs);
      this.#lateListener?.onLate();
    } else this.abort('silent');
  }

  #waitAs(state: 'silent' | 'late', ms: number): void {
    this.#state = state;
    this.#cancelSilence = ms < Number.POSITIVE_INFINITY ? this.#clock.after(ms, this) : undefined;
  }

  hasSpoken(): void {
    this.isNotLate();
    this.#silentSince = undefined;
  }

  /** A good part of a whole answer is there. */
  isNotLate(): void {
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
    this.#lateListener = undefined;
    if (this.#state !== 'failed') this.#state = 'heard';
  }

  /** Silence begins: the upstream was asked, or a part of a whole answer came. */
  listen(): void {
    this.#silentSince = this.#clock.monotonic();
  }

  /** Why a connection is gone: `otherwise`, unless it was silent before. */
  closed(otherwise: 'network_error' | 'cut'): AttemptFailed {
    const since = this.#silentSince;
    const silentMs = since === undefined ? (this.#idle?.waitedMs ?? 0) : this.#clock.monotonic() - since;
    return new AttemptFailed(silentMs > LONGEST_UNSUSPICIOUS_MS ? 'closed_silent' : otherwise);
  }

  /** The upstream is waited for, and is idle if it says nothing for so long; `goesOn`: together with the wait before. */
  wait(ms: number, { goesOn }: { goesOn: boolean }): void {
    this.#idle ??= new IdleTimer(this.#clock, this);
    this.#idle.wait(ms, goesOn);
  }

  /** It has said something, or nobody waits for it. */
  rest(): void {
    this.#idle?.rest();
  }

  abort(outcome: AttemptOutcome): void {
    if (this.#state === 'failed') return;
    this.#state = 'failed';
    this.#failure = new AttemptFailed(outcome);
    this.#controller.abort(this.#failure);
    this.#interrupt?.(this.#failure);
  }

  /** What `value` comes to, unless the watch ends before; one at a time. */
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
    return hasNoConnection(error) ? new AttemptFailed('network_error') : this.closed('network_error');
  }

  /** From here on the client's leaving ends nothing. */
  outliveClient(): void {
    this.#gone.removeEventListener('abort', this);
  }

  /** Ends all timers; must be called once. */
  end(): void {
    this.#time.end();
    this.hasSpoken();
    this.#idle?.end();
    this.outliveClient();
    this.#cut.forget(this);
  }
}

const ONCE = { once: true };
/** A connection that closes after a longer silence was most likely closed for the silence. */
const LONGEST_UNSUSPICIOUS_MS = 5_000;

/** One timer for all the waits of a stream: it looks at the clock when it is due, and is set again for what is left. */
class IdleTimer implements TaskListener {
  readonly #clock: Clock;
  readonly #watch: Watch;
  #since = 0;
  #patience = 0;
  /** How long the last wait took, with those that it went on from. */
  #waited = 0;
  #isWaiting = false;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, watch: Watch) {
    this.#clock = clock;
    this.#watch = watch;
  }

  wait(ms: number, goesOn: boolean): void {
    const waited = goesOn ? this.#waited : 0;
    this.#since = this.#clock.monotonic() - waited;
    this.#isWaiting = true;
    if (!this.#cancel || ms < this.#patience) {
      this.#cancel?.();
      this.#cancel = this.#clock.after(ms - waited, this);
    }
    this.#patience = ms;
  }

  get waitedMs(): number {
    return this.#waited;
  }

  rest(): void {
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
    const left = this.#since + this.#patience - this.#clock.monotonic();
    if (left > 0) this.#cancel = this.#clock.after(left, this);
    else this.#watch.abort('idle');
  }
}
