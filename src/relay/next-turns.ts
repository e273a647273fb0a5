// An upstream has paused its answer: the same channel is asked to go on, as often as the output bound and the hold allow. What
// the turns use is one bill. A turn that fails ends the answer with what came before it.

import type { CarriedTurns } from '../dialects/carrier.ts';
import type { PausedTurn } from '../dialects/dialect.ts';
import type { RawValue } from '../kit/json/raw-json.ts';
import { LEAST_OUTPUT_TOKENS } from '../kit/tokens.ts';
import { costOf, holdFor } from '../ledger/cost.ts';
import { lowerThinkingBudget } from '../ledger/thinking-room.ts';
import { type Buckets, NO_BUCKETS } from '../store/rows.ts';
import { type Asking, askUpstream, readRefusal } from './ask-upstream.ts';
import type { AttemptFailed } from './attempt-failed.ts';
import { isHeld } from './before-asking.ts';
import type { Admission, RelayTools } from './call.ts';
import { noteFailedTry } from './losses.ts';
import { noteTrouble } from './note-try.ts';
import type { AttemptOutcome } from './outcomes.ts';
import { fetchNamed } from './write-body.ts';

/** A model that pauses more often makes no headway. */
const MOST_CONTINUATIONS = 4;

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

  /** What `take` makes of the reply; undefined if the turn is not asked for or fails. Throws AttemptFailed if the try was stopped. */
  async ask<Taken>(paused: PausedTurn, take: (response: Response) => Promise<Taken>): Promise<Taken | undefined> {
    const { watch } = this.#asking;
    this.#content.push(...paused.content);
    this.#used = addBuckets(this.#used, paused.usage.buckets);
    const maxOutputTokens = this.#outputBound(paused);
    if (maxOutputTokens === undefined || this.#continuations === MOST_CONTINUATIONS) return undefined;
    if (this.#admission.call.gone.aborted || !(await isHeld(this.#tools, this.#admission))) return undefined;
    this.#continuations++;
    watch.isNotLate();
    const startedAt = this.#tools.clock.monotonic();
    let isAccepted = false;
    try {
      const response = await this.#send(maxOutputTokens);
      isAccepted = true;
      return await take(response);
    } catch (error) {
      const failed = watch.explain(error);
      if (watch.signal.aborted && !TIMED_OUT.has(failed.outcome)) throw failed;
      this.#noteFailed(failed, isAccepted, this.#tools.clock.monotonic() - startedAt);
      return undefined;
    }
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
    if (freeMost !== null && inputOf(this.#used) + input > freeMost) return undefined;
    const { base, unit } = holdFor({ ...call, model: step.model, candidates: [] }, input, left);
    const rest = held - costOf(this.#used, step.model.prices) - base;
    if (rest < 0n) return undefined;
    const bound = unit === 0n ? left : Math.min(left, Number(rest / unit));
    return bound < Math.min(left, LEAST_OUTPUT_TOKENS) ? undefined : bound;
  }

  /** Turns that go well are part of the try that began the answer; one that fails has a line of its own in the receipt. */
  #noteFailed(failed: AttemptFailed, isAccepted: boolean, elapsedMs: number): void {
    const { step } = this.#asking;
    const { outcome } = failed;
    this.#admission.attempts.push({ channel: step.route.channel.name, outcome, ms: Math.round(elapsedMs) });
    const tried = { outcome, isAccepted, isHedge: false, elapsedMs, usage: undefined };
    noteFailedTry(this.#tools, this.#admission, step, tried);
    noteTrouble(this.#tools, this.#admission, step, failed);
  }
}

function inputOf({ input, cachedInput, cacheWrite5m, cacheWrite1h }: Buckets): number {
  return input + cachedInput + cacheWrite5m + cacheWrite1h;
}

function addBuckets(a: Buckets, b: Buckets): Buckets {
  return {
    input: a.input + b.input,
    cachedInput: a.cachedInput + b.cachedInput,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    output: a.output + b.output,
    images: a.images + b.images,
  };
}
