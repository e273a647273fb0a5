// Closing a call: settle or release, with its usage record, exactly once on every path.

import type { Sample } from '../channels/traffic.ts';
import { assert } from '../kit/assert.ts';
import { failpoint } from '../kit/failpoint.ts';
import type { Nano } from '../kit/money.ts';
import type { TaskListener } from '../kit/timer-lists.ts';
import type { CloseResult, Outcome } from '../store/operations.ts';
import type { Attempt, RequestStatus } from '../store/rows.ts';
import type { BegunAnswer } from './begun.ts';
import { type Bill, nothingBilled } from './bill.ts';
import type { Admission, RelayTools } from './call.ts';
import type { ServingTry } from './meter.ts';

/** The last events of a stream wait this long for the settlement; then they go out without the cost. */
const SETTLE_WAIT_MS = 5_000;

/** The try that began the answer, and the one that brought it to its end; not the same after a resume. */
export interface Served {
  first: BegunAnswer;
  last: BegunAnswer;
}

export interface Settled {
  cost: Nano;
  balance: Nano;
}

export interface ReleaseOptions {
  /** Our own failures give the limit slots back. */
  giveBackSlots: boolean;
  /** The try that began the answer, if one did. */
  first?: BegunAnswer;
}

/** How a call ended, for the books and for who counts. */
interface Ending {
  outcome: Outcome;
  bill: Bill;
  serving: ServingTry | undefined;
}

/** One for each call that is admitted, which runs from here on until it is closed. */
export class Closing implements TaskListener {
  readonly #tools: RelayTools;
  readonly #admission: Admission;
  /** Undefined if the hold was resolved before, or if it took too long. */
  readonly #settled = Promise.withResolvers<Settled | undefined>();
  #isDone = false;
  #stopWaiting: (() => void) | undefined;

  constructor(tools: RelayTools, admission: Admission) {
    this.#tools = tools;
    this.#admission = admission;
    tools.running.add(admission.call.requestId);
    tools.meter.opened(admission.call);
  }

  get done(): boolean {
    return this.#isDone;
  }

  /** Undefined if it did not commit in time; it is then repeated until it does. */
  settle(status: RequestStatus, bill: Bill, { first, last }: Served): Promise<Settled | undefined> {
    this.#begin();
    failpoint('K6');
    const { ledger, traffic } = this.#tools;
    const { requestId, key, freeAddress } = this.#admission.call;
    const { accountId, keyId } = key;
    const outcome = this.#outcome(status, bill, first);
    const serving = this.#servingTry(last, status === 'ok');
    if (serving.ok) traffic.record(serving);
    const settling = ledger.settle({ requestId, accountId, keyId, cost: bill.cost, outcome }, freeAddress);
    return this.#inTime(settling, { outcome, bill, serving });
  }

  /** Nothing is charged. */
  async release(status: RequestStatus, { giveBackSlots, first }: ReleaseOptions): Promise<void> {
    this.#begin();
    const { ledger, refusals } = this.#tools;
    const { requestId, key, model, freeAddress } = this.#admission.call;
    const { accountId, keyId } = key;
    const bill = nothingBilled(model.id);
    const outcome = this.#outcome(status, bill, first);
    const releasing = ledger.release({ requestId, accountId, keyId, giveBackSlots, freeAddress, outcome });
    await this.#inTime(releasing, { outcome, bill, serving: undefined });
    if (giveBackSlots) refusals.forget(accountId);
  }

  #begin(): void {
    assert(!this.#isDone, 'a call is closed once');
    this.#isDone = true;
  }

  /** Times are those of the call as a whole, with every try that it took. */
  #outcome(status: RequestStatus, bill: Bill, first: BegunAnswer | undefined): Outcome {
    const { clock } = this.#tools;
    const { startedAt, attempts } = this.#admission;
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
    };
  }

  #servingTry({ step, begun }: BegunAnswer, ok: boolean): ServingTry & Sample {
    const { startedAt, firstTokenAt } = begun;
    return {
      channel: step.route.channel.name,
      model: step.model.id,
      ok,
      firstTokenMs: firstTokenAt === null ? null : firstTokenAt - startedAt,
      totalMs: this.#tools.clock.monotonic() - startedAt,
    };
  }

  #inTime(closing: Promise<CloseResult>, ending: Ending): Promise<Settled | undefined> {
    this.#stopWaiting = this.#tools.clock.after(SETTLE_WAIT_MS, this);
    void this.#end(closing, ending);
    return this.#settled.promise;
  }

  /** It was waited for long enough: it goes on unwaited. */
  onTime(): void {
    this.#settled.resolve(undefined);
  }

  async #end(closing: Promise<CloseResult>, ending: Ending): Promise<void> {
    try {
      const result = await closing;
      this.#report(result, ending);
      if (ending.serving) failpoint('K8');
      this.#settled.resolve(result.state === 'closed' ? { cost: result.charged, balance: result.balance } : undefined);
    } catch (error) {
      this.#settled.reject(error);
    } finally {
      this.#stopWaiting?.();
      this.#over();
    }
  }

  #over(): void {
    const { running, meter } = this.#tools;
    const { call } = this.#admission;
    running.delete(call.requestId);
    meter.over(call);
    call.room.leave();
  }

  #report(result: CloseResult, { outcome, bill, serving }: Ending): void {
    const { meter, log } = this.#tools;
    const { call, attempts, refusedTranslation } = this.#admission;
    const charged = result.state === 'closed' ? result.charged : undefined;
    meter.closed(call, outcome, charged ?? 0n, serving);
    log('info', 'request', {
      request_id: call.requestId,
      account_id: call.key.accountId,
      model: call.model.id,
      channel: outcome.channel ?? undefined,
      endpoint: call.endpoint,
      outcome: outcome.status,
      tries: troubledTries(attempts),
      translated: refusedTranslation,
      ms: outcome.totalMs,
      cost_nano: charged?.toString(),
      upstream_cost: typeof bill.reported === 'object' ? bill.reported.upstreamCost?.toString() : undefined,
      trace_id: call.traceId,
    });
  }
}

/** Why channels failed, for the log; most calls have one try that ended well, and nothing to tell. */
function troubledTries(attempts: readonly Attempt[]): string | undefined {
  if (attempts.every(({ outcome }) => outcome === 'ok')) return undefined;
  return attempts.map(({ channel, outcome }) => `${channel}:${outcome}`).join();
}
