// Closing a call: settle or release, with its usage record, exactly once on every path.

import type { Sample } from '../channels/traffic.ts';
import { isInvalid } from '../dialects/counts.ts';
import { type Fault, fault } from '../faults/fault.ts';
import { assert } from '../kit/assert.ts';
import { failpoint } from '../kit/failpoint.ts';
import { describeError } from '../kit/log.ts';
import { formatNtd, type Nano } from '../kit/money.ts';
import type { TaskListener } from '../kit/timer-lists.ts';
import type { CloseResult, Losses, Outcome } from '../store/operations.ts';
import {
  type Attempt,
  type Buckets,
  type ChargeRule,
  type Loss,
  NO_BUCKETS,
  type RequestStatus,
} from '../store/rows.ts';
import type { BegunAnswer } from './begun.ts';
import { nothingBilled } from './bill.ts';
import type { Admission, RelayTools } from './call.ts';
import { coveredCost, lossesOfBill, lossesWithoutAnswer, upstreamCost, withoutCharge } from './losses.ts';
import type { Bill } from './measure.ts';
import type { ServingAttempt } from './meter.ts';
import { sizeOf } from './silence-limits.ts';

/** The last events of a stream wait this long for the settlement; then they go out without the cost. */
const SETTLE_WAIT_MS = 5_000;

/** The attempt that began the answer, and the one that brought it to its end; not the same after a resume. */
export interface Served {
  first: BegunAnswer;
  last: BegunAnswer;
}

export interface Settled {
  cost: Nano;
  balance: Nano;
}

interface ReleaseOptions {
  rule: ChargeRule;
  /** Our own failures give the limit slots back. */
  giveBackSlots: boolean;
  /** The attempt that began the answer, if any, and its usage. */
  first?: BegunAnswer;
  used?: Buckets;
}

const NO_LOSSES: readonly Loss[] = [];

/** How a call ended. */
interface Ending {
  outcome: Outcome;
  bill: Bill;
  serving: ServingAttempt | undefined;
}

/** One for each admitted call. */
export class Closing implements TaskListener {
  readonly #tools: RelayTools;
  /** Undefined if the hold was resolved before, or if it took too long. */
  readonly #settled = Promise.withResolvers<Settled | undefined>();
  /** It is closed, or that has begun. */
  done = false;
  #stopWaiting: (() => void) | undefined;

  constructor(readonly admission: Admission) {
    const { call } = admission;
    this.#tools = call.tools;
    this.#tools.running.add(call.requestId);
    this.#tools.meter.opened(call);
  }

  /** `losses`: of runs before the last. Returns undefined if it did not commit in time; it is then repeated until it does. */
  settle(status: RequestStatus, bill: Bill, served: Served, losses = NO_LOSSES): Promise<Settled | undefined> {
    this.#begin();
    this.#settle(status, bill, served, losses);
    return this.#settled.promise;
  }

  /** The same with a bill that is not known yet. The call counts as closed from here on. */
  settleLater(
    status: RequestStatus,
    billing: Promise<Bill>,
    served: Served,
    losses = NO_LOSSES,
  ): Promise<Settled | undefined> {
    this.#begin();
    billing
      .then(
        (bill) => this.#settle(status, bill, served, losses),
        (error: unknown) => this.#releaseUnbilled(error, losses),
      )
      .catch((error: unknown) => this.#fail(error));
    return this.#settled.promise;
  }

  /** Nothing is charged, unless the account has reached its losses of the day. */
  async release(status: RequestStatus, options: ReleaseOptions, losses = NO_LOSSES): Promise<Settled | undefined> {
    this.#begin();
    this.#release(status, options, lossesWithoutAnswer([...this.admission.losses, ...losses]));
    const settled = await this.#settled.promise;
    if (options.giveBackSlots) this.#tools.refusals.forget(this.admission.call.key.accountId);
    return settled;
  }

  /** A bug must not leave a customer's money held. */
  #releaseUnbilled(error: unknown, losses: readonly Loss[]): void {
    const { requestId } = this.admission.call;
    this.#tools.alarms.raise('close_failed', { request_id: requestId, detail: describeError(error) });
    const all = withoutCharge([...this.admission.losses, ...losses]);
    this.#release('internal_error', { rule: 'gateway_failed', giveBackSlots: true }, all);
  }

  #release(status: RequestStatus, options: ReleaseOptions, all: readonly Loss[]): void {
    const { rule, giveBackSlots, first, used = NO_BUCKETS } = options;
    const { call, chain } = this.admission;
    const { requestId, key, model, freeAddress } = call;
    const { accountId, keyId } = key;
    const bill = nothingBilled(model.id, rule, used);
    const outcome = this.#outcome(status, bill, first, 0n);
    const losses = this.#losses(all);
    const close = { requestId, accountId, keyId, chain, giveBackSlots, freeAddress, outcome, losses };
    void this.#end(this.#tools.ledger.release(close), { outcome, bill, serving: undefined });
  }

  #settle(status: RequestStatus, bill: Bill, { first, last }: Served, losses: readonly Loss[]): void {
    failpoint('before-settle');
    const { alarms, ledger, traffic } = this.#tools;
    const { requestId, key, freeAddress } = this.admission.call;
    const { accountId, keyId } = key;
    const own = lossesOfBill(this.admission, bill, last.step);
    const outcome = this.#outcome(status, bill, first, coveredCost(bill, last.step, own));
    const serving = this.#servingAttempt(last, status === 'ok');
    const { channel } = serving;
    if (isInvalid(bill.reported)) alarms.raise('usage_invalid', { request_id: requestId, channel });
    if (serving.ok) {
      traffic.record(serving);
      this.#noteTime(last, serving);
    }
    this.#noteReasoning(last, bill, serving.firstTokenMs);
    const failed = this.admission.losses;
    const all = failed.length + losses.length === 0 ? own : [...withoutCharge([...failed, ...losses]), ...own];
    const { chain } = this.admission;
    const close = { requestId, accountId, keyId, chain, cost: bill.cost, outcome, losses: this.#losses(all) };
    const unsettled = { freeAddress, upstreamCost: () => upstreamCost(bill, last.step) };
    void this.#end(ledger.settle(close, unsettled), { outcome, bill, serving });
  }

  /** Undefined for most calls, which lose nothing. */
  #losses(all: readonly Loss[]): Losses | undefined {
    if (all.length === 0) return undefined;
    const items = all.filter(({ amount, charge }) => amount > 0n || charge > 0n);
    const guard = this.admission.call.catalog.guards.loss_per_account_day;
    return items.length === 0 ? undefined : { items, guard };
  }

  /** The route's history, which decides when an answer is late. */
  #noteTime({ step, begun }: BegunAnswer, { firstTokenMs, totalMs }: Sample): void {
    const ms = begun.kind === 'stream' ? firstTokenMs : totalMs;
    const { channel, model } = step.route;
    if (ms !== null) this.#tools.answerTimes.note(channel.name, model, sizeOf(this.admission, step), ms);
  }

  /** Records hidden reasoning that was reported: which routes have it, and how fast they reason. */
  #noteReasoning({ step, begun }: BegunAnswer, { reported, reasoning }: Bill, firstTokenMs: number | null): void {
    if (typeof reported !== 'object' || reasoning === 0) return;
    const { output } = begun.kind === 'stream' ? begun.reader.facts() : begun.facts;
    const { channel, model } = step.route;
    // A summary of it may have been shown.
    if (output.reasoningTokens > reasoning / 2) return;
    this.#tools.reasoning.note(channel.name, model, reasoning, firstTokenMs ?? 0);
  }

  #begin(): void {
    assert(!this.done, 'a call is closed once');
    this.done = true;
    this.#stopWaiting = this.#tools.clock.after(SETTLE_WAIT_MS, this);
  }

  /** Times are those of the call as a whole, with every attempt that it took. */
  #outcome(status: RequestStatus, bill: Bill, first: BegunAnswer | undefined, upstreamCost: Nano | null): Outcome {
    const { clock } = this.#tools;
    const { startedAt, attempts, pricedAt } = this.admission;
    const firstTokenAt = first?.begun.firstTokenAt ?? null;
    return {
      at: clock.now(),
      status,
      model: bill.model,
      channel: first?.step.route.channel.name ?? null,
      buckets: bill.buckets,
      reasoning: bill.reasoning,
      estimated: bill.estimated,
      firstTokenMs: firstTokenAt === null ? null : Math.round(firstTokenAt - startedAt),
      totalMs: Math.round(clock.monotonic() - startedAt),
      attempts,
      rule: this.#ruleOf(bill),
      serviceTier: bill.chargedTier,
      toolCalls: bill.chargedCalls,
      pricedAt,
      upstreamCost,
    };
  }

  #ruleOf({ rule, cost, model }: Bill): ChargeRule {
    const { call, held } = this.admission;
    if (cost > held) return 'above_hold';
    const isFree = call.catalog.find(model)?.free === true;
    return isFree && !FREE_ENDINGS.has(rule) ? 'free_model' : rule;
  }

  #servingAttempt({ step, begun }: BegunAnswer, ok: boolean): ServingAttempt & Sample {
    const { startedAt, firstTokenAt } = begun;
    return {
      channel: step.route.channel.name,
      model: step.model.id,
      ok,
      firstTokenMs: firstTokenAt === null ? null : firstTokenAt - startedAt,
      totalMs: this.#tools.clock.monotonic() - startedAt,
    };
  }

  /** The wait is over; the settlement continues in the background. */
  onTime(): void {
    this.#settled.resolve(undefined);
  }

  async #end(closing: Promise<CloseResult>, ending: Ending): Promise<void> {
    try {
      const result = await closing;
      this.#report(result, ending);
      if (ending.serving) failpoint('after-settle');
      this.#settled.resolve(result.state === 'closed' ? { cost: result.charged, balance: result.balance } : undefined);
      this.#over();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#settled.reject(error);
    this.#over();
  }

  #over(): void {
    this.#stopWaiting?.();
    const { running, meter } = this.#tools;
    const { call } = this.admission;
    running.delete(call.requestId);
    meter.over(call);
    call.capacity.release();
  }

  #report(result: CloseResult, { outcome, bill, serving }: Ending): void {
    const { meter, log } = this.#tools;
    const { call, attempts, refusedTranslation } = this.admission;
    const charged = result.state === 'closed' ? result.charged : undefined;
    meter.closed(call, outcome, charged ?? 0n, serving);
    log('info', 'request', {
      request_id: call.requestId,
      account_id: call.key.accountId,
      model: call.model.id,
      channel: outcome.channel ?? undefined,
      endpoint: call.endpoint,
      outcome: outcome.status,
      tries: failedAttempts(attempts),
      translated: refusedTranslation,
      ms: outcome.totalMs,
      cost_nano: charged?.toString(),
      upstream_cost: typeof bill.reported === 'object' ? bill.reported.upstreamCost?.toString() : undefined,
      trace_id: call.traceId,
    });
  }
}

/** The outcome of each attempt, for the log; undefined if all succeeded. */
function failedAttempts(attempts: readonly Attempt[]): string | undefined {
  if (attempts.every(({ outcome }) => outcome === 'ok')) return undefined;
  return attempts.map(({ channel, outcome }) => `${channel}:${outcome}`).join();
}

const FREE_ENDINGS: ReadonlySet<ChargeRule> = new Set([
  'empty_answer',
  'upstream_failed',
  'gateway_failed',
  'not_delivered',
]);

/**
 * A failure of an upstream is free, except for an account whose free failures and hang-ups of the day are used up: then its
 * fault says what was charged.
 */
export function withCharge(shown: Fault, settled: Settled | undefined): Fault {
  if (shown.code !== 'upstream_failed' || !settled || settled.cost === 0n) return shown;
  const charged = `NT$${formatNtd(settled.cost)} was charged, because this account's free failures and hang-ups of today are used up`;
  const message = `The upstream failed. ${charged}; the receipt explains it. Retry, or choose another model.`;
  return fault(shown.code, { ...shown.details, message });
}
