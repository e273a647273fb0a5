// Tries the plan's steps until an answer has begun. When a try is late, the next channel is asked beside it: whichever answers
// first serves the call, and the other is stopped. Where hedging is off or its budget is used up, the late one is left instead.
// A failure before the first byte is invisible to the client, except in the receipt.

import { everyChannelFailed } from './all-failed.ts';
import { attempt, type Racing } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { AnyBegunAnswer } from './begun.ts';
import type { Admission, RelayTools } from './call.ts';
import { dropLarge } from './deliver-whole.ts';
import { noteFailedTry } from './losses.ts';
import type { Plan, Step } from './plan.ts';
import { leaveStream } from './read-on.ts';
import type { Watch } from './watch.ts';

/**
 * Throws AttemptFailed when the client left, the gateway drains or the hold is gone, else the fault for the client. Tries that
 * run when the client leaves go on until `givenUp`; no other one begins.
 */
export function beginAnswer(
  tools: RelayTools,
  admission: Admission,
  plan: Plan,
  givenUp: AbortSignal,
): Promise<AnyBegunAnswer> {
  return new Race(tools, admission, plan, givenUp).run();
}

/** The request as a whole has had its time. */
export function isOver({ clock }: RelayTools, { deadline }: Admission): boolean {
  return clock.monotonic() >= deadline;
}

/** Tries on their way side by side. */
const MOST_AT_ONCE = 2;

class Race {
  readonly #tools: RelayTools;
  readonly #admission: Admission;
  readonly #plan: Plan;
  readonly #givenUp: AbortSignal;
  readonly #failures: AttemptFailed[] = [];
  readonly #running: RacingTry[] = [];
  #newest: RacingTry | undefined;
  readonly #begun = Promise.withResolvers<AnyBegunAnswer>();
  /** How it ends, when the tries that still run have been stopped. */
  #end: (() => void) | undefined;

  constructor(tools: RelayTools, admission: Admission, plan: Plan, givenUp: AbortSignal) {
    this.#tools = tools;
    this.#admission = admission;
    this.#plan = plan;
    this.#givenUp = givenUp;
  }

  run(): Promise<AnyBegunAnswer> {
    this.#goOn();
    return this.#begun.promise;
  }

  onLate(late: RacingTry): void {
    if (this.#end || this.#isRefused || this.#hasLeft || late !== this.#newest) return;
    const isBeside = this.#running.length < MOST_AT_ONCE && this.#mayHedge(late.step);
    // A number says when to ask beside it, and not that it is late by what is usual there.
    if (!isBeside && typeof late.step.model.hedge === 'number') return;
    const step = this.#nextStep();
    // If no other channel can be asked, the late one is waited for.
    if (!step) return;
    if (!isBeside) this.#running[0]?.stop('silent');
    this.#start(step, isBeside);
  }

  /** No channel would take the request: those that run are waited for, and no other is asked. */
  get #isRefused(): boolean {
    return this.#failures.some(({ isFinal }) => isFinal);
  }

  get #hasLeft(): boolean {
    return this.#admission.call.gone.aborted;
  }

  #mayHedge({ model }: Step): boolean {
    const { hedges, running } = this.#tools;
    const { key, catalog } = this.#admission.call;
    if (model.hedge === 'off') return false;
    return hedges.take(key.accountId, catalog.guards.loss_per_account_day, running.size);
  }

  #nextStep(failure?: AttemptFailed): Step | undefined {
    return isOver(this.#tools, this.#admission) ? undefined : this.#plan.next(failure);
  }

  #goOn(failure?: AttemptFailed): void {
    const step = this.#isRefused || this.#hasLeft ? undefined : this.#nextStep(failure);
    if (step) this.#start(step, false);
    else if (this.#hasLeft && this.#running.length === 0) {
      this.#endWith(() => this.#begun.reject(new AttemptFailed('client_gone')));
    } else if (this.#running.length === 0) {
      this.#endWith(() => this.#begun.reject(everyChannelFailed(this.#failures, this.#plan.shutForMs())));
    }
  }

  #start(step: Step, isBeside: boolean): void {
    const racing = new RacingTry(this, step, isBeside);
    this.#newest = racing;
    this.#running.push(racing);
    attempt(this.#tools, this.#admission, step, { gone: this.#givenUp, racing }).then(
      (answer) => this.#onBegun(racing, answer),
      (error) => this.#onFailed(racing, error),
    );
  }

  #onBegun(racing: RacingTry, answer: AnyBegunAnswer): void {
    this.#remove(racing);
    // Both began in one moment.
    if (this.#end) dropAnswer(this.#tools, this.#admission, answer);
    else this.#endWith(() => this.#begun.resolve(answer));
    this.#endIfLast();
  }

  #onFailed(racing: RacingTry, error: unknown): void {
    this.#remove(racing);
    if (this.#end) this.#endIfLast();
    else if (!(error instanceof AttemptFailed) || error.endsCall) this.#endWith(() => this.#begun.reject(error));
    else {
      this.#failures.push(error);
      for (const one of this.#running) one.isBeside = false;
      if (racing === this.#newest) this.#goOn(error);
      else if (this.#running.length === 0) this.#goOn();
    }
  }

  #remove(racing: RacingTry): void {
    this.#running.splice(this.#running.indexOf(racing), 1);
  }

  #endWith(end: () => void): void {
    this.#end = end;
    for (const one of this.#running) one.stop(one.isLate ? 'late' : 'outrun');
    this.#endIfLast();
  }

  /** What a stopped try has cost is known when it has ended. */
  #endIfLast(): void {
    if (this.#running.length === 0) this.#end?.();
  }
}

/** Another answer serves the call. */
function dropAnswer(tools: RelayTools, admission: Admission, answer: AnyBegunAnswer): void {
  const { step, begun, note } = answer;
  const elapsedMs = tools.clock.monotonic() - begun.startedAt;
  const { usage } = begun.kind === 'stream' ? begun.reader.facts() : begun.facts;
  noteFailedTry(tools, admission, step, { outcome: 'outrun', isAccepted: true, isBeside: true, elapsedMs, usage });
  if (begun.kind === 'whole') dropLarge(begun);
  else {
    note.ended('outrun');
    leaveStream(begun);
  }
}

/** One try of a race, which can stop it. */
class RacingTry implements Racing {
  readonly step: Step;
  isBeside: boolean;
  isLate = false;
  readonly #race: Race;
  #watch: Watch | undefined;
  #stoppedAs: 'late' | 'outrun' | 'silent' | undefined;

  constructor(race: Race, step: Step, isBeside: boolean) {
    this.#race = race;
    this.step = step;
    this.isBeside = isBeside;
  }

  watchWith(watch: Watch): void {
    this.#watch = watch;
    if (this.#stoppedAs) watch.abort(this.#stoppedAs);
  }

  onLate(): void {
    this.isLate = true;
    this.#race.onLate(this);
  }

  stop(outcome: 'late' | 'outrun' | 'silent'): void {
    this.#stoppedAs ??= outcome;
    this.#watch?.abort(outcome);
  }
}
