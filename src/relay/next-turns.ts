// An upstream has paused its answer: the same channel is asked to go on, as often as the output bound and the hold allow. What
// the turns use is one bill. A turn that fails ends the answer with what came before it.

import type { CarriedTurns } from '../dialects/carrier.ts';
import { isZero } from '../dialects/counts.ts';
import type { PausedTurn, ReportedUsage } from '../dialects/dialect.ts';
import type { RawValue } from '../kit/json/raw-json.ts';
import { highestPrices } from '../kit/prices.ts';
import { LEAST_OUTPUT_TOKENS } from '../kit/tokens.ts';
import { costAt, holdFor, inputOf } from '../ledger/cost.ts';
import { lowerThinkingBudget } from '../ledger/thinking-budget.ts';
import { addBuckets, type Buckets, NO_BUCKETS } from '../store/rows.ts';
import { type Asking, askUpstream, readRefusal } from './ask-upstream.ts';
import type { AttemptFailed } from './attempt-failed.ts';
import { isHeld } from './before-asking.ts';
import type { Admission, RelayTools } from './call.ts';
import { noteFailedTry } from './losses.ts';
import { noteTrouble } from './note-try.ts';
import type { AttemptOutcome } from './outcomes.ts';
import { fetchNamed } from './write-body.ts';

/** A model that pauses more often makes no headway. */
const MAX_CONTINUATIONS = 4;

/** The upstream took too long: the answer can still end with what came before. Otherwise the try was stopped. */
const TIMED_OUT: ReadonlySet<AttemptOutcome> = new Set(['idle', 'silent', 'too_slow']);

export class NextTurns {
  readonly #tools: RelayTools;
  readonly #admission: Admission;
  readonly #asking: Asking;
  readonly #turns: CarriedTurns;
  readonly #content: RawValue[] = [];
  #used: Buckets = NO_BUCKETS;
  #continuations = 0;
  /** The turn that was asked for last, until it was paused, too, or has failed; `input`: the tokens that it reads at least. */
  #asked: { at: number; input: number; isAccepted: boolean } | undefined;

  /** `asking`: how the first turn was asked for. */
  constructor(tools: RelayTools, admission: Admission, asking: Asking, turns: CarriedTurns) {
    this.#tools = tools;
    this.#admission = admission;
    this.#asking = asking;
    this.#turns = turns;
  }

  get turns(): CarriedTurns {
    return this.#turns;
  }

  /** What the turns have used if nothing comes of the answer; undefined if none was paused. */
  get used(): ReportedUsage | undefined {
    if (isZero(this.#used)) return undefined;
    const input = this.#used.input + (this.#asked?.input ?? 0);
    return { buckets: { ...this.#used, input }, reasoning: 0 };
  }

  /** What `take` makes of the reply; undefined if the turn is not asked for or fails. Throws AttemptFailed if the try was stopped. */
  async ask<Taken>(paused: PausedTurn, take: (response: Response) => Promise<Taken>): Promise<Taken | undefined> {
    const { watch } = this.#asking;
    this.#asked = undefined;
    this.#content.push(...paused.content);
    this.#used = addBuckets(this.#used, paused.usage.buckets);
    const maxOutputTokens = this.#outputBound(paused);
    if (maxOutputTokens === undefined || this.#continuations === MAX_CONTINUATIONS) return undefined;
    if (this.#admission.call.gone.aborted || !(await isHeld(this.#tools, this.#admission))) return undefined;
    this.#continuations++;
    watch.isNotLate();
    const { buckets } = paused.usage;
    const asked = { at: this.#tools.clock.monotonic(), input: inputOf(buckets) + buckets.output, isAccepted: false };
    this.#asked = asked;
    try {
      const response = await this.#send(maxOutputTokens);
      asked.isAccepted = true;
      return await take(response);
    } catch (error) {
      const failed = watch.explain(error);
      if (watch.signal.aborted && !TIMED_OUT.has(failed.outcome)) throw failed;
      if (this.#asked) this.#noteFailed(failed);
      return undefined;
    }
  }

  /** The turn that was asked for last has not begun, and is not waited for any longer. */
  leave(): void {
    this.#noteLoss(this.#asking.watch.explain(undefined).outcome);
  }

  /** Throws AttemptFailed if the upstream refuses. */
  async #send(maxOutputTokens: number): Promise<Response> {
    const { carrier, fields, watch } = this.#asking;
    const { call } = this.#admission;
    const thinkingBudget = lowerThinkingBudget(call.request, maxOutputTokens, call.model.maxOutputTokens);
    const fetched =
      carrier.needs.length > 0 ? await fetchNamed(this.#tools, this.#admission, carrier, watch) : undefined;
    const body = this.#turns.write({ ...fields, maxOutputTokens, thinkingBudget }, this.#content, fetched);
    const response = await askUpstream(call, this.#asking, body);
    if (response.status !== 200) throw await readRefusal(this.#tools, call, this.#asking, response);
    return response;
  }

  /** What the client's bound and the hold leave for the next turn; undefined if it is not worth asking. */
  #outputBound({ usage, contentTokens }: PausedTurn): number | undefined {
    const { call, held } = this.#admission;
    const { step, fields } = this.#asking;
    const left = fields.maxOutputTokens - this.#used.output;
    if (left <= 0) return undefined;
    const input = inputOf(usage.buckets) + contentTokens;
    const freeMost = step.model.free ? call.catalog.guards.free_input_tokens : null;
    // The input of all turns together decides the price of each.
    const wholeInput = inputOf(this.#used) + input;
    if (freeMost !== null && wholeInput > freeMost) return undefined;
    const { base, unit } = holdFor({ ...call, model: step.model, candidates: [] }, input, left, { wholeInput });
    const prices = highestPrices(step.model.prices, wholeInput, call.request.serviceTier);
    const rest = held - costAt(this.#used, prices) - base;
    if (rest < 0n) return undefined;
    const bound = unit === 0n ? left : Math.min(left, Number(rest / unit));
    return bound < Math.min(left, LEAST_OUTPUT_TOKENS) ? undefined : bound;
  }

  /** Turns that go well are part of the try that began the answer; one that fails has a line of its own in the receipt. */
  #noteFailed(failed: AttemptFailed): void {
    const { step } = this.#asking;
    const { outcome } = failed;
    const ms = Math.round(this.#noteLoss(outcome));
    this.#admission.attempts.push({ channel: step.route.channel.name, outcome, ms });
    noteTrouble(this.#tools, this.#admission, step, failed);
  }

  /** The time that the turn took. */
  #noteLoss(outcome: AttemptOutcome): number {
    if (!this.#asked) return 0;
    const { at, input, isAccepted } = this.#asked;
    this.#asked = undefined;
    const elapsedMs = this.#tools.clock.monotonic() - at;
    const tried = { outcome, isAccepted, isHedge: false, elapsedMs, input, usage: undefined };
    noteFailedTry(this.#tools, this.#admission, this.#asking.step, tried);
    return elapsedMs;
  }
}
