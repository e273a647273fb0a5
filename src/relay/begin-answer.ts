// Tries the plan's steps until an answer has begun. When a try is late, the next channel is asked beside it: whichever answers
// first serves the call, and the other is stopped. Where hedging is off or its budget is used up, a late stream is left instead.
// A failure before the first byte is invisible to the client, except in the receipt.

import type { Fault } from '../faults/fault.ts';
import type { TaskListener } from '../kit/timer-lists.ts';
import { everyChannelFailed } from './all-failed.ts';
import { attempt, type Racing } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { AnyBegunAnswer } from './begun.ts';
import type { Admission, RelayTools } from './call.ts';
import { dropLarge } from './deliver-whole.ts';
import { noteFailedTry } from './losses.ts';
import { needsReport } from './needs-report.ts';
import type { Plan, Step } from './plan.ts';
import { leaveStream } from './read-on.ts';
import type { Watch } from './watch.ts';

/**
 * The fault for the client if no channel answered. Throws AttemptFailed when the client left, the gateway drains or the hold is
 * gone. Tries that run when the client leaves go on until `givenUp`; no other one begins.
 */
export function beginAnswer(
  tools: RelayTools,
  admission: Admission,
  plan: Plan,
  givenUp: AbortSignal,
): Promise<AnyBegunAnswer | Fault> {
  return new Race(tools, admission, plan, givenUp).run();
}

/** The time of the whole request is over. */
export function isOver({ clock }: RelayTools, { deadline }: Admission): boolean {
  return clock.monotonic() >= deadline;
}

/** How long to wait for a try beside one that refused the request itself: it may still succeed. */
const AFTER_REFUSAL_MS = 10_000;
/** How soon to ask again when no hedge was allowed. */
const NEXT_CHECK_MS = 5_000;

const NO_FAILURES: readonly AttemptFailed[] = [];

type Ending = { result: AnyBegunAnswer | Fault } | { error: unknown };

class Race {
  readonly #tools: RelayTools;
  readonly #admission: Admission;
  readonly #plan: Plan;
  readonly #givenUp: AbortSignal;
  #failures = NO_FAILURES;
  readonly #running: RacingTry[] = [];
  #newest: RacingTry | undefined;
  /** No channel would take the request: those that run are waited for, and no other is asked. */
  #isRefused = false;
  readonly #ended = Promise.withResolvers<AnyBegunAnswer | Fault>();
  /** How it ends, when the tries that still run have been stopped. */
  #end: Ending | undefined;
  #stopTimer: (() => void) | undefined;
  #stopChecking: (() => void) | undefined;

  constructor(tools: RelayTools, admission: Admission, plan: Plan, givenUp: AbortSignal) {
    this.#tools = tools;
    this.#admission = admission;
    this.#plan = plan;
    this.#givenUp = givenUp;
  }

  run(): Promise<AnyBegunAnswer | Fault> {
    this.#goOn();
    return this.#ended.promise;
  }

  onLate(late: RacingTry): void {
    try {
      if (late === this.#newest) this.#askBeside(late);
    } catch (error) {
      this.#failWith(error);
    }
  }

  /** Two run side by side at most. If no other channel can be asked, the late one is waited for. */
  #askBeside(late: RacingTry): void {
    if (this.#end || this.#isRefused || this.#hasLeft || this.#running.length !== 1) return;
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

  /** A whole answer may be nearly done. And a number says when to ask beside it, not what is usual there. */
  #mayLeave({ model }: Step): boolean {
    return this.#admission.call.request.stream && typeof model.hedge !== 'number';
  }

  get #hasLeft(): boolean {
    return this.#admission.call.gone.aborted;
  }

  #nextStep(failure?: AttemptFailed): Step | undefined {
    return isOver(this.#tools, this.#admission) ? undefined : this.#plan.next(failure);
  }

  #goOn(failure?: AttemptFailed): void {
    const step = this.#isRefused || this.#hasLeft ? undefined : this.#nextStep(failure);
    if (step) this.#start(step, false);
    else if (this.#running.length === 0) this.#endFailed();
    else if (this.#isRefused) this.#stopTimer ??= this.#tools.clock.after(AFTER_REFUSAL_MS, () => this.#endFailed());
  }

  #endFailed(): void {
    if (this.#end) return;
    if (this.#hasLeft) this.#failWith(new AttemptFailed('client_gone'));
    else this.#endWith({ result: everyChannelFailed(this.#failures, this.#plan.shutForMs()) });
  }

  #start(step: Step, isHedge: boolean): void {
    const { call } = this.#admission;
    const racing = new RacingTry(this, step, isHedge);
    this.#newest = racing;
    this.#running.push(racing);
    // Without its report such a try is over when the client leaves.
    const gone = needsReport(this.#tools, call, step) ? this.#givenUp : call.gone;
    void this.#try(racing, gone);
  }

  async #try(racing: RacingTry, gone: AbortSignal): Promise<void> {
    let answer: AnyBegunAnswer | undefined;
    try {
      try {
        answer = await attempt(this.#tools, this.#admission, racing.step, { gone, racing });
      } catch (error) {
        this.#onFailed(racing, error);
      }
      if (answer) this.#onBegun(racing, answer);
    } catch (error) {
      this.#failWith(error);
    }
  }

  #onBegun(racing: RacingTry, answer: AnyBegunAnswer): void {
    this.#remove(racing);
    // Both began at the same time.
    if (this.#end) dropAnswer(this.#tools, this.#admission, answer);
    else this.#endWith({ result: answer });
    this.#endIfLast();
  }

  #onFailed(racing: RacingTry, error: unknown): void {
    this.#remove(racing);
    if (this.#end) this.#endIfLast();
    else if (!(error instanceof AttemptFailed) || error.endsCall) this.#failWith(error);
    else {
      this.#failures = [...this.#failures, error];
      this.#isRefused ||= error.isFinal;
      for (const one of this.#running) one.isHedge = false;
      if (racing === this.#newest || this.#isRefused) this.#goOn(error);
      else if (this.#running.length === 0) this.#goOn();
    }
  }

  #remove(racing: RacingTry): void {
    this.#running.splice(this.#running.indexOf(racing), 1);
  }

  #failWith(error: unknown): void {
    this.#endWith({ error });
  }

  #endWith(end: Ending): void {
    this.#end ??= end;
    for (const one of this.#running) {
      one.isHedge = true;
      one.stop(one.isLate ? 'late' : 'outrun');
    }
    this.#endIfLast();
  }

  /** What a stopped try has cost is known when it has ended. */
  #endIfLast(): void {
    if (this.#running.length > 0) return;
    this.#stopTimer?.();
    this.#stopChecking?.();
    if (!this.#end) return;
    if ('result' in this.#end) this.#ended.resolve(this.#end.result);
    else this.#ended.reject(this.#end.error);
  }
}

/** Another answer serves the call. */
function dropAnswer(tools: RelayTools, admission: Admission, answer: AnyBegunAnswer): void {
  const { step, begun, note } = answer;
  const elapsedMs = tools.clock.monotonic() - begun.startedAt;
  const { usage } = begun.kind === 'stream' ? begun.reader.facts() : begun.facts;
  noteFailedTry(tools, admission, step, { outcome: 'outrun', isAccepted: true, isHedge: true, elapsedMs, usage });
  if (begun.kind === 'whole') dropLarge(begun);
  else {
    note.ended('outrun');
    leaveStream(begun);
  }
}

/** One try of a race, which can stop it. */
class RacingTry implements Racing, TaskListener {
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
