// Closing a call: settle or release, with its usage record, exactly once on every path.

import { assert } from '../kit/assert.ts';
import { failpoint } from '../kit/failpoint.ts';
import type { Nano } from '../kit/money.ts';
import type { CloseResult, Outcome } from '../store/operations.ts';
import type { Attempt, RequestStatus } from '../store/rows.ts';
import type { BegunAnswer } from './begin-answer.ts';
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

export interface Closing {
  readonly done: boolean;
  /** Undefined if it did not commit in time; it is then repeated until it does. */
  settle(status: RequestStatus, bill: Bill, served: Served): Promise<Settled | undefined>;
  /** Nothing is charged. Our own failures give the limit slots back. `first`: the try that began the answer, if one did. */
  release(status: RequestStatus, options: { giveBackSlots: boolean; first?: BegunAnswer }): Promise<void>;
}

export function createClosing(tools: RelayTools, admission: Admission): Closing {
  const { call, attempts } = admission;
  const { requestId, key } = call;
  let done = false;
  tools.running.add(requestId);
  tools.meter.opened(call);

  /** Times are those of the call as a whole, with every try that it took. */
  function outcome(status: RequestStatus, bill: Bill, first?: BegunAnswer): Outcome {
    const firstTokenAt = first?.begun.firstTokenAt ?? null;
    return {
      at: tools.clock.now(),
      status,
      model: bill.model,
      channel: first?.step.route.channel.name ?? null,
      buckets: bill.buckets,
      reasoning: bill.reasoning,
      estimated: bill.estimated,
      firstTokenMs: firstTokenAt === null ? null : Math.round(firstTokenAt - admission.startedAt),
      totalMs: Math.round(tools.clock.monotonic() - admission.startedAt),
      attempts,
    };
  }

  function servingTry({ step, begun }: BegunAnswer): ServingTry {
    const { startedAt, firstTokenAt } = begun;
    return {
      channel: step.route.channel.name,
      firstTokenMs: firstTokenAt === null ? null : firstTokenAt - startedAt,
      totalMs: tools.clock.monotonic() - startedAt,
    };
  }

  function over(): void {
    tools.running.delete(requestId);
    tools.meter.over(call);
    call.room.leave();
  }

  function begin(): void {
    assert(!done, 'a call is closed once');
    done = true;
  }

  function report(result: CloseResult, ended: Outcome, { reported }: Bill, serving: ServingTry | undefined): void {
    const { status, channel, totalMs } = ended;
    const charged = result.state === 'closed' ? result.charged : undefined;
    tools.meter.closed(call, ended, charged ?? 0n, serving);
    tools.log('info', 'request', {
      request_id: requestId,
      account_id: key.accountId,
      model: call.model.id,
      channel: channel ?? undefined,
      endpoint: call.endpoint,
      outcome: status,
      tries: troubledTries(attempts),
      translated: admission.refusedTranslation,
      ms: totalMs,
      cost_nano: charged?.toString(),
      upstream_cost: typeof reported === 'object' ? reported.upstreamCost?.toString() : undefined,
      trace_id: call.traceId,
    });
  }

  /** Undefined if the hold was resolved before, or if it took too long: then it goes on unwaited. */
  function committed(
    closing: Promise<CloseResult>,
    ended: Outcome,
    bill: Bill,
    serving?: ServingTry,
  ): Promise<Settled | undefined> {
    return new Promise((resolve, reject) => {
      const cancel = tools.clock.after(SETTLE_WAIT_MS, () => resolve(undefined));
      const end = (result: CloseResult) => {
        cancel();
        over();
        report(result, ended, bill, serving);
        resolve(result.state === 'closed' ? { cost: result.charged, balance: result.balance } : undefined);
      };
      const fail = (error: unknown) => {
        cancel();
        over();
        reject(error);
      };
      closing.then(end, fail).catch(reject);
    });
  }

  return {
    get done() {
      return done;
    },
    async settle(status, bill, { first, last }) {
      begin();
      failpoint('K6');
      const ended = outcome(status, bill, first);
      const serving = servingTry(last);
      if (status === 'ok') tools.traffic.record({ ...serving, model: last.step.model.id, ok: true });
      const { accountId, keyId } = key;
      const input = { requestId, accountId, keyId, cost: bill.cost, outcome: ended };
      const settling = tools.ledger.settle(input, call.freeAddress);
      const settled = await committed(settling, ended, bill, serving);
      failpoint('K8');
      return settled;
    },
    async release(status, { giveBackSlots, first }) {
      begin();
      const bill = nothingBilled(call.model.id);
      const ended = outcome(status, bill, first);
      const { accountId, keyId } = key;
      const { freeAddress } = call;
      const releasing = tools.ledger.release({
        requestId,
        accountId,
        keyId,
        giveBackSlots,
        freeAddress,
        outcome: ended,
      });
      await committed(releasing, ended, bill);
      if (giveBackSlots) tools.refusals.forget(accountId);
    },
  };
}

/** Why channels failed, for the log; most calls have one try that ended well, and nothing to tell. */
function troubledTries(attempts: readonly Attempt[]): string | undefined {
  if (attempts.every(({ outcome }) => outcome === 'ok')) return undefined;
  return attempts.map(({ channel, outcome }) => `${channel}:${outcome}`).join();
}
