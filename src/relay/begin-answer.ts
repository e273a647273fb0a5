// Tries the steps of the plan until an answer has begun. When an attempt is late, the next channel is called in parallel:
// the one that answers first serves the call, and the other is stopped. Where hedging is off or its budget is used up, the
// late stream is stopped instead. The client sees a failure before the first byte only in the receipt.

import type { Fault } from '../faults/fault.ts';
import type { TaskListener } from '../kit/timer-lists.ts';
import { attempt, type Racing } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { BegunAttempt } from './begun.ts';
import type { Admission, RelayTools } from './call.ts';
import { noteFailedAttempt } from './losses.ts';
import { needsReport } from './needs-report.ts';
import { everyChannelFailed } from './no-channel.ts';
import type { Plan, Step } from './plan.ts';
import { dropLarge } from './read-response.ts';
import { abandonStream } from './read-to-end.ts';
import type { Watch } from './watch.ts';

/**
 * Returns the fault for the client if no channel answered. Throws AttemptFailed when the client left, the gateway drains or the
 * hold is no longer open. When the client leaves, running attempts go on until `givenUp`, and no other one starts.
 */
export function beginAnswer(admission: Admission, plan: Plan, givenUp: AbortSignal): Promise<BegunAttempt | Fault> {
  return new Race(admission, plan, givenUp).run();
}

/** The time of the whole request is over. */
export function isOver({ call, deadline }: Admission): boolean {
  return call.tools.clock.monotonic() >= deadline;
}

/** How long to wait for a parallel attempt after the other one refused the request itself: it may still succeed. */
const AFTER_REFUSAL_MS = 10_000;
/** When no hedge is allowed: when to check again. */
const NEXT_CHECK_MS = 5_000;

const NO_FAILURES: readonly AttemptFailed[] = [];

type Ending = { result: BegunAttempt | Fault } | { error: unknown };

/**
 *   trying          → refused  an attempt showed that every channel would refuse the request: no other attempt starts
 *   trying, refused → ending   an answer has begun, or none will: running attempts are stopped, and the race ends with the last
 */
class Race {
  readonly #tools: RelayTools;
  readonly #admission: Admission;
  readonly #plan: Plan;
  readonly #givenUp: AbortSignal;
  #failures = NO_FAILURES;
  readonly #running: RacingAttempt[] = [];
  #newest: RacingAttempt | undefined;
  #state: 'trying' | 'refused' | 'ending' = 'trying';
  readonly #ended = Promise.withResolvers<BegunAttempt | Fault>();
  /** Set when it is ending. */
  #end: Ending | undefined;
  #stopTimer: (() => void) | undefined;
  #stopChecking: (() => void) | undefined;

  constructor(admission: Admission, plan: Plan, givenUp: AbortSignal) {
    this.#tools = admission.call.tools;
    this.#admission = admission;
    this.#plan = plan;
    this.#givenUp = givenUp;
  }

  run(): Promise<BegunAttempt | Fault> {
    this.#startNext();
    return this.#ended.promise;
  }

  onLate(late: RacingAttempt): void {
    try {
      if (late === this.#newest) this.#askBeside(late);
    } catch (error) {
      this.#failWith(error);
    }
  }

  /** At most two attempts run at once. If there is no other channel, the late attempt continues. */
  #askBeside(late: RacingAttempt): void {
    if (this.#state !== 'trying' || this.#hasLeft || this.#running.length !== 1) return;
    const isHedge = this.#mayHedge(late.step);
    if (!isHedge && !this.#mayLeave(late.step)) {
      if (late.step.model.hedge !== 'off') this.#stopChecking = this.#tools.clock.after(NEXT_CHECK_MS, late);
      return;
    }
    const step = this.#nextStep();
    if (!step) return;
    if (isHedge) this.#tools.hedges.take(this.#tools.running.size);
    else late.stop('late');
    this.#start(step, isHedge);
  }

  #mayHedge({ model }: Step): boolean {
    const { hedges, running } = this.#tools;
    const { key, catalog } = this.#admission.call;
    if (model.hedge === 'off') return false;
    return hedges.isLeft(key.accountId, catalog.guards.loss_per_account_day, running.size);
  }

  /** Not a whole answer, which may be nearly complete, and not where `hedge` is a fixed time. */
  #mayLeave({ model }: Step): boolean {
    return this.#admission.call.request.stream && typeof model.hedge !== 'number';
  }

  get #hasLeft(): boolean {
    return this.#admission.call.gone.aborted;
  }

  #nextStep(failure?: AttemptFailed): Step | undefined {
    return isOver(this.#admission) ? undefined : this.#plan.next(failure);
  }

  #startNext(failure?: AttemptFailed): void {
    const step = this.#state === 'refused' || this.#hasLeft ? undefined : this.#nextStep(failure);
    if (step) this.#start(step, false);
    else if (this.#running.length === 0) this.#endFailed();
    else if (this.#state === 'refused')
      this.#stopTimer ??= this.#tools.clock.after(AFTER_REFUSAL_MS, () => this.#endFailed());
  }

  #endFailed(): void {
    if (this.#state === 'ending') return;
    if (this.#hasLeft) this.#failWith(new AttemptFailed('client_gone'));
    else this.#endWith({ result: everyChannelFailed(this.#failures, this.#plan.blockedForMs()) });
  }

  #start(step: Step, isHedge: boolean): void {
    const { call } = this.#admission;
    const racing = new RacingAttempt(this, step, isHedge);
    this.#newest = racing;
    this.#running.push(racing);
    // An attempt whose report is needed continues when the client leaves.
    const gone = needsReport(call, step) ? this.#givenUp : call.gone;
    void this.#try(racing, gone);
  }

  async #try(racing: RacingAttempt, gone: AbortSignal): Promise<void> {
    let answer: BegunAttempt | undefined;
    try {
      try {
        answer = await attempt(this.#admission, racing.step, { gone, racing });
      } catch (error) {
        this.#onFailed(racing, error);
      }
      if (answer) this.#onBegun(racing, answer);
    } catch (error) {
      this.#failWith(error);
    }
  }

  #onBegun(racing: RacingAttempt, answer: BegunAttempt): void {
    this.#remove(racing);
    // Both began at the same time.
    if (this.#state === 'ending') dropAnswer(this.#admission, answer);
    else this.#endWith({ result: answer });
    this.#endIfLast();
  }

  #onFailed(racing: RacingAttempt, error: unknown): void {
    this.#remove(racing);
    if (this.#state === 'ending') this.#endIfLast();
    else if (!(error instanceof AttemptFailed) || error.endsCall) this.#failWith(error);
    else {
      this.#failures = [...this.#failures, error];
      if (error.isFinal) this.#state = 'refused';
      for (const one of this.#running) one.isHedge = false;
      if (racing === this.#newest || this.#state === 'refused') this.#startNext(error);
      else if (this.#running.length === 0) this.#startNext();
    }
  }

  #remove(racing: RacingAttempt): void {
    this.#running.splice(this.#running.indexOf(racing), 1);
  }

  #failWith(error: unknown): void {
    this.#endWith({ error });
  }

  #endWith(end: Ending): void {
    this.#state = 'ending';
    this.#end ??= end;
    for (const one of this.#running) {
      one.isHedge = true;
      one.stop(one.isLate ? 'late' : 'outrun');
    }
    this.#endIfLast();
  }

  /** The cost of a stopped attempt is known only when it has ended. */
  #endIfLast(): void {
    if (this.#running.length > 0) return;
    this.#stopTimer?.();
    this.#stopChecking?.();
    if (!this.#end) return;
    if ('result' in this.#end) this.#ended.resolve(this.#end.result);
    else this.#ended.reject(this.#end.error);
  }
}

/** Another attempt serves the call. */
function dropAnswer(admission: Admission, answer: BegunAttempt): void {
  const { step, begun, record } = answer;
  const elapsedMs = admission.call.tools.clock.monotonic() - begun.startedAt;
  const { usage } = begun.kind === 'stream' ? begun.reader.facts() : begun.facts;
  noteFailedAttempt(admission, step, { outcome: 'outrun', isAccepted: true, isHedge: true, elapsedMs, usage });
  if (begun.kind === 'whole') {
    if (begun.large) dropLarge(begun.large);
  } else {
    record.ended('outrun');
    abandonStream(begun);
  }
}

/** An attempt that its race can stop. */
class RacingAttempt implements Racing, TaskListener {
  readonly step: Step;
  isHedge: boolean;
  isLate = false;
  readonly #race: Race;
  #stopping: AbortController | undefined;
  #stoppedAs: 'late' | 'outrun' | undefined;
  #watch: Watch | undefined;

  constructor(race: Race, step: Step, isHedge: boolean) {
    this.#race = race;
    this.step = step;
    this.isHedge = isHedge;
  }

  get stopped(): AbortSignal {
    this.#stopping ??= new AbortController();
    return this.#stopping.signal;
  }

  watchWith(watch: Watch): void {
    this.#watch = watch;
    if (this.#stoppedAs) watch.abort(this.#stoppedAs);
  }

  onLate(): void {
    this.isLate = true;
    this.#race.onLate(this);
  }

  /** It is still late. */
  onTime(): void {
    this.#race.onLate(this);
  }

  stop(outcome: 'late' | 'outrun'): void {
    this.#stoppedAs = outcome;
    this.#stopping?.abort(new AttemptFailed(outcome));
    this.#watch?.abort(outcome);
  }
}
