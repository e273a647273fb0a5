// Continues an answer that its upstream has paused, on the same channel and as often as the output bound and the hold allow. All
// turns are one bill. A turn that fails ends the answer with the turns before it.

import type { CarriedTurns } from '../dialects/carrier.ts';
import { isZero } from '../dialects/counts.ts';
import type { PausedTurn, ReportedUsage } from '../dialects/dialect.ts';
import type { RawValue } from '../kit/json/raw-json.ts';
import { highestPrices } from '../kit/prices.ts';
import { MIN_OUTPUT_TOKENS } from '../kit/tokens.ts';
import { costAt, holdFor, inputOf } from '../ledger/cost.ts';
import { lowerThinkingBudget } from '../ledger/thinking-budget.ts';
import { addBuckets, type Buckets, NO_BUCKETS } from '../store/rows.ts';
import type { AttemptFailed } from './attempt-failed.ts';
import { noteTrouble } from './attempt-record.ts';
import { isHeld } from './before-attempt.ts';
import type { Admission, RelayTools } from './call.ts';
import { callUpstream, readRefusal, type UpstreamCall } from './call-upstream.ts';
import { noteFailedAttempt } from './losses.ts';
import type { AttemptOutcome } from './outcomes.ts';
import { fetchNamed } from './write-body.ts';

/** A model that pauses more often makes no progress. */
const MAX_CONTINUATIONS = 4;

/** After these the answer can still end with the turns before. After others the attempt was stopped. */
const TIMED_OUT: ReadonlySet<AttemptOutcome> = new Set(['idle', 'silent', 'too_slow']);

export class NextTurns {
  readonly #tools: RelayTools;
  readonly #admission: Admission;
  readonly #upstreamCall: UpstreamCall;
  readonly #turns: CarriedTurns;
  readonly #content: RawValue[] = [];
  #used: Buckets = NO_BUCKETS;
  #continuations = 0;
  /** The last turn that was requested, until it is paused or fails; `input`: the least tokens that it reads. */
  #requested: { at: number; input: number; isAccepted: boolean } | undefined;

  /** `upstreamCall`: of the first turn. */
  constructor(tools: RelayTools, admission: Admission, upstreamCall: UpstreamCall, turns: CarriedTurns) {
    this.#tools = tools;
    this.#admission = admission;
    this.#upstreamCall = upstreamCall;
    this.#turns = turns;
  }

  get turns(): CarriedTurns {
    return this.#turns;
  }

  /** Usage of the turns if the answer fails; undefined if none was paused. */
  get used(): ReportedUsage | undefined {
    if (isZero(this.#used)) return undefined;
    const input = this.#used.input + (this.#requested?.input ?? 0);
    return { buckets: { ...this.#used, input }, reasoning: 0 };
  }

  /** Returns the result of `take`; undefined if the turn is not requested or fails. Throws if the attempt was stopped. */
  async request<Taken>(paused: PausedTurn, take: (response: Response) => Promise<Taken>): Promise<Taken | undefined> {
    const { watch } = this.#upstreamCall;
    this.#requested = undefined;
    this.#content.push(...paused.content);
    this.#used = addBuckets(this.#used, paused.usage.buckets);
    const maxOutputTokens = this.#outputBound(paused);
    if (maxOutputTokens === undefined || this.#continuations === MAX_CONTINUATIONS) return undefined;
    if (this.#admission.call.gone.aborted || !(await isHeld(this.#tools, this.#admission))) return undefined;
    this.#continuations++;
    watch.stopSilenceTimer();
    const { buckets } = paused.usage;
    const requested = {
      at: this.#tools.clock.monotonic(),
      input: inputOf(buckets) + buckets.output,
      isAccepted: false,
    };
    this.#requested = requested;
    try {
      const response = await this.#send(maxOutputTokens);
      requested.isAccepted = true;
      return await take(response);
    } catch (error) {
      const failed = watch.explain(error);
      if (watch.signal.aborted && !TIMED_OUT.has(failed.outcome)) throw failed;
      if (this.#requested) this.#noteFailed(failed);
      return undefined;
    }
  }

  /** The last turn has not begun, and nothing waits for it any longer. */
  leave(): void {
    this.#noteLoss(this.#upstreamCall.watch.explain(undefined).outcome);
  }

  /** Throws AttemptFailed if the upstream refuses. */
  async #send(maxOutputTokens: number): Promise<Response> {
    const { carrier, fields, watch } = this.#upstreamCall;
    const { call } = this.#admission;
    const thinkingBudget = lowerThinkingBudget(call.request, maxOutputTokens, call.model.maxOutputTokens);
    const fetched =
      carrier.needs.length > 0 ? await fetchNamed(this.#tools, this.#admission, carrier, watch) : undefined;
    const body = this.#turns.write({ ...fields, maxOutputTokens, thinkingBudget }, this.#content, fetched);
    const response = await callUpstream(call, this.#upstreamCall, body);
    if (response.status !== 200) throw await readRefusal(this.#tools, call, this.#upstreamCall, response);
    return response;
  }

  /** The output that the client's bound and the hold leave for the next turn; undefined if too little is left. */
  #outputBound({ usage, contentTokens }: PausedTurn): number | undefined {
    const { call, held } = this.#admission;
    const { step, fields } = this.#upstreamCall;
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
    return bound < Math.min(left, MIN_OUTPUT_TOKENS) ? undefined : bound;
  }

  /** Successful turns belong to the attempt that began the answer; a failed one has a line of its own in the receipt. */
  #noteFailed(failed: AttemptFailed): void {
    const { step } = this.#upstreamCall;
    const { outcome } = failed;
    const ms = Math.round(this.#noteLoss(outcome));
    this.#admission.attempts.push({ channel: step.route.channel.name, outcome, ms });
    noteTrouble(this.#tools, this.#admission, step, failed);
  }

  /** Returns how long the turn took. */
  #noteLoss(outcome: AttemptOutcome): number {
    if (!this.#requested) return 0;
    const { at, input, isAccepted } = this.#requested;
    this.#requested = undefined;
    const elapsedMs = this.#tools.clock.monotonic() - at;
    const tried = { outcome, isAccepted, isHedge: false, elapsedMs, input, usage: undefined };
    noteFailedAttempt(this.#tools, this.#admission, this.#upstreamCall.step, tried);
    return elapsedMs;
  }
}
