// Continues an answer that its upstream has paused, on the same channel and as often as the output bound and the hold allow. The
// turns are joined as if the upstream had answered with one stream, and are one bill. A turn that fails ends the answer with the
// turns before it.

import type { CarriedTurns } from '../dialects/carrier.ts';
import { isZero } from '../dialects/counts.ts';
import type { PausedTurn, ReportedUsage, StreamReader } from '../dialects/dialect.ts';
import type { WholeTurn } from '../dialects/translate/adapters.ts';
import type { RawValue } from '../kit/json/raw-json.ts';
import { highestPrices } from '../kit/prices.ts';
import { MIN_OUTPUT_TOKENS } from '../kit/tokens.ts';
import { costAt, holdFor, inputOf } from '../ledger/cost.ts';
import { lowerThinkingBudget } from '../ledger/thinking-budget.ts';
import { addBuckets, type Buckets, NO_BUCKETS } from '../store/rows.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { noteProblem } from './attempt-record.ts';
import type { StreamedTurns } from './begun.ts';
import type { Admission } from './call.ts';
import { callUpstream, isHeld, readRefusal, type UpstreamCall } from './call-upstream.ts';
import type { ByteSource } from './event-feed.ts';
import { noteFailedAttempt } from './losses.ts';
import type { AttemptOutcome } from './outcomes.ts';
import { fetchNamed } from './write-body.ts';

/** A model that pauses more often makes no progress. */
const MAX_CONTINUATIONS = 4;

/** After these the answer can still end with the turns before. After others the attempt was stopped. */
const TIMED_OUT: ReadonlySet<AttemptOutcome> = new Set(['idle', 'silent', 'too_slow']);

export class NextTurns {
  readonly #admission: Admission;
  readonly #upstreamCall: UpstreamCall;
  readonly #content: RawValue[] = [];
  #used: Buckets = NO_BUCKETS;
  #continuations = 0;
  /** The last turn that was requested, until it is paused or fails; `input`: the least tokens that it reads. */
  #requested: { at: number; input: number; isAccepted: boolean } | undefined;

  /** `upstreamCall`: of the first turn. */
  constructor(
    admission: Admission,
    upstreamCall: UpstreamCall,
    readonly turns: CarriedTurns,
  ) {
    this.#admission = admission;
    this.#upstreamCall = upstreamCall;
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
    if (this.#admission.call.gone.aborted || !(await isHeld(this.#admission))) return undefined;
    this.#continuations++;
    watch.stopSilenceTimer();
    const { buckets } = paused.usage;
    const requested = {
      at: this.#admission.call.tools.clock.monotonic(),
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
    const fetched = carrier.needs.length > 0 ? await fetchNamed(this.#admission, carrier, watch) : undefined;
    const body = this.turns.write({ ...fields, maxOutputTokens, thinkingBudget }, this.#content, fetched);
    const response = await callUpstream(this.#upstreamCall, body);
    if (response.status !== 200) throw await readRefusal(this.#upstreamCall, response);
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
    noteProblem(this.#admission, step, failed);
  }

  /** Returns how long the turn took. */
  #noteLoss(outcome: AttemptOutcome): number {
    if (!this.#requested) return 0;
    const { at, input, isAccepted } = this.#requested;
    this.#requested = undefined;
    const elapsedMs = this.#admission.call.tools.clock.monotonic() - at;
    const tried = { outcome, isAccepted, isHedge: false, elapsedMs, input, usage: undefined };
    noteFailedAttempt(this.#admission, this.#upstreamCall.step, tried);
    return elapsedMs;
  }
}

/** The text of the first turn if no other followed, else a stream with all of them. */
export async function joinWhole(
  text: string,
  next: NextTurns,
  read: (response: Response) => Promise<string>,
): Promise<string> {
  const { mayBePaused, readTurn } = next.turns;
  const first = mayBePaused(text) ? readTurn(text) : undefined;
  if (!first?.paused) return text;
  const streams: string[] = [];
  for (let turn: WholeTurn | undefined = first; turn; ) {
    streams.push(turn.stream);
    turn = turn.paused && (await next.request(turn.paused, take));
  }
  return streams.length === 1 ? text : streams.join('');

  async function take(response: Response): Promise<WholeTurn> {
    const turn = readTurn(await read(response));
    if (!turn) throw new AttemptFailed('not_an_answer');
    return turn;
  }
}

const OVER = { done: true, value: undefined } as const;

/** When more bytes are read, the stream reader has read all before, and knows whether the turn was paused. */
export class TurnSource implements ByteSource, StreamedTurns {
  readonly #reader: StreamReader;
  readonly #next: NextTurns;
  readonly #open: (response: Response) => Promise<ByteSource>;
  #source: ByteSource;
  /** The last turn after which another was requested. */
  #continued: PausedTurn | undefined;
  #isStopped = false;

  constructor(
    first: ByteSource,
    reader: StreamReader,
    next: NextTurns,
    open: (response: Response) => Promise<ByteSource>,
  ) {
    this.#source = first;
    this.#reader = reader;
    this.#next = next;
    this.#open = open;
  }

  get isContinued(): boolean {
    return this.#continued !== undefined;
  }

  async read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    const paused = this.#reader.paused?.();
    if (paused && paused !== this.#continued && !(await this.#openNext(paused))) return OVER;
    const read = await this.#source.read();
    if (read.done && this.#isAwaited) throw new AttemptFailed('cut');
    return read;
  }

  stop(): void {
    this.#isStopped = true;
  }

  leave(): void {
    if (this.#isAwaited) this.#next.leave();
  }

  cancel(): Promise<void> {
    return this.#source.cancel();
  }

  /** A turn was requested and has not begun. */
  get #isAwaited(): boolean {
    return this.#continued !== undefined && this.#reader.paused?.() === this.#continued;
  }

  async #openNext(paused: PausedTurn): Promise<boolean> {
    if (this.#isStopped) return false;
    this.#source.cancel().catch(() => {});
    this.#continued = paused;
    const source = await this.#next.request(paused, this.#open);
    if (source) this.#source = source;
    return source !== undefined;
  }
}
