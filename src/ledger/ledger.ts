// The ledger's verbs for the rest of the service. A close is repeated until it commits: the hold stays open meanwhile,
// so the money is neither lost nor spent twice.

import { Fault } from '../faults/fault.ts';
import type { Alarms } from '../kit/alarms.ts';
import { type Clock, sleep } from '../kit/clock.ts';
import { describeError } from '../kit/log.ts';
import { formatNtd, type Nano } from '../kit/money.ts';
import type { Prices } from '../kit/prices.ts';
import { chargeBeyond, unpaid } from '../store/book/losses.ts';
import type {
  AdmitInput,
  AdmitResult,
  CloseResult,
  Input,
  Outcome,
  ReleaseInput,
  SettleInput,
} from '../store/operations.ts';
import { type Buckets, type Loss, NO_BUCKETS } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { costOf } from './cost.ts';
import type { LossMeter } from './loss-meter.ts';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

export interface Ledger {
  /** Takes limit slots and hold together; durable when it resolves with `ok`. */
  admit(input: AdmitInput): Promise<AdmitResult>;
  /** If a bug of ours makes that impossible, the request is released. */
  settle(input: SettleInput, unsettled: Unsettled): Promise<CloseResult>;
  release(input: ReleaseInput): Promise<CloseResult>;
  /** False when another node released the hold, because it took this one for dead, or when nobody can tell. */
  isHeld(held: Held): boolean | Promise<boolean>;
  /** Closes that have not committed yet. */
  closing(): number;
}

/** What a release needs in place of a settlement. */
export interface Unsettled {
  /** It is given its slot back. */
  freeAddress?: string | undefined;
  /** What the customer would have paid for, and the prices at which the upstream bills it. */
  used: Buckets;
  costs: Prices;
}

export interface Held {
  requestId: string;
  accountId: string;
  /** In monotonic time, before it was admitted. */
  since: number;
}

export interface LedgerTools {
  store: Pick<Store, 'commit' | 'read'>;
  clock: Clock;
  alarms: Alarms;
  lossMeter?: LossMeter | undefined;
  /** The node's, once it has begun. */
  lease(): { renew(): Promise<void>; hasLivedSince(since: number): boolean } | undefined;
}

export function createLedger({ store, clock, alarms, lossMeter, lease }: LedgerTools): Ledger {
  let closing = 0;

  function admit(input: AdmitInput): Promise<AdmitResult> {
    return store.commit('admit', input).then((result) => (isLeaseLost(result) ? admitAgain(input) : result));
  }

  /** A lease that ran out by the wall clock alone is renewed at once: the next turn may be seconds away. */
  async function admitAgain(input: AdmitInput): Promise<AdmitResult> {
    await lease()?.renew();
    return store.commit('admit', input);
  }

  /** A node that was taken for dead renews its lease first, so that nobody releases the hold from here on. */
  async function isStillOpen({ requestId, accountId }: Held): Promise<boolean> {
    try {
      await lease()?.renew();
      return (await store.read.openHolds(accountId)).some((hold) => hold.requestId === requestId);
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }

  /** A bug of ours must not keep a customer's money: what cannot be settled is released, if need be without its losses. */
  async function close<Name extends 'settle' | 'release'>(
    name: Name,
    input: Input<Name>,
    unsettled?: Unsettled,
  ): Promise<CloseResult> {
    closing++;
    try {
      for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
        try {
          const result = await store.commit(name, input);
          if (name === 'settle') report(result, input);
          reportLosses(result, input);
          return result;
        } catch (error) {
          await waitAfter(error, input.requestId, waitMs);
        }
      }
    } catch (error) {
      if ('cost' in input && unsettled) return close('release', releaseInstead(input, unsettled));
      if (!input.losses) throw error;
      return close(name, { ...input, losses: undefined });
    } finally {
      closing--;
    }
  }

  /** Throws what no repetition will mend. */
  async function waitAfter(error: unknown, requestId: string, waitMs: number): Promise<void> {
    if (!(error instanceof Fault) || error.code !== 'unavailable') {
      alarms.raise('close_failed', { request_id: requestId, detail: describeError(error) });
      throw error;
    }
    if (waitMs === FIRST_RETRY_MS) {
      alarms.raise('settle_retrying', { request_id: requestId, detail: error.forLog });
    }
    await sleep(clock, waitMs);
  }

  /** Of a settlement alone: a release that finds nothing held has nothing to release. */
  function report(result: CloseResult, { requestId, outcome }: SettleInput | ReleaseInput): void {
    if (result.state === 'late') alarms.raise('settle_after_release', { request_id: requestId });
    else if (result.writtenOff > 0n) {
      alarms.raise('usage_above_hold', {
        request_id: requestId,
        model: outcome.model,
        channel: outcome.channel ?? undefined,
        cost_nano: result.writtenOff.toString(),
      });
    }
  }

  function reportLosses(result: CloseResult, input: SettleInput | ReleaseInput): void {
    const items = input.losses?.items;
    if (result.state !== 'closed' || !items || items.length === 0) return;
    const { charged, lossGuard, freeLosses: free = 0n } = result;
    const due = lossGuard ? chargeBeyond(items, free) + ('cost' in input ? input.cost : 0n) : 0n;
    const booked = lossGuard ? unpaid(items, free, due - charged) : items;
    for (const loss of booked) lossMeter?.booked(loss);
    if (!lossGuard) return;
    lossMeter?.charged();
    if (lossGuard === 'reached') reportGuard(charged, input);
  }

  /** Once for an account and day: the operator looks at the account, not at each call. */
  function reportGuard(charged: Nano, { requestId, accountId, losses }: SettleInput | ReleaseInput): void {
    alarms.raise('account_losses', {
      request_id: requestId,
      account_id: accountId,
      cost_nano: charged.toString(),
      detail: `losses of the day reached the guard of NT$${formatNtd(losses?.guard ?? 0n)}`,
    });
  }

  return {
    admit,
    isHeld: (held) => lease()?.hasLivedSince(held.since) || isStillOpen(held),
    settle: (input, unsettled) => close('settle', input, unsettled),
    release: (input) => close('release', input),
    closing: () => closing,
  };
}

function isLeaseLost(result: AdmitResult): boolean {
  return !result.ok && result.reason === 'lease_lost';
}

/** Our own failure gives the slots back, and is not charged: what the call cost is a loss, too. */
function releaseInstead(input: SettleInput, { freeAddress, used, costs }: Unsettled): ReleaseInput {
  const { requestId, accountId, keyId, cost, losses } = input;
  const { model, channel } = input.outcome;
  // What is above the hold is part of what the call cost.
  const others = (losses?.items ?? []).filter(({ reason }) => reason !== 'above_hold');
  const items: Loss[] = others.map((item) => ({ ...item, charge: 0n }));
  if (model && cost > 0n)
    items.push({ reason: 'gateway_cut', model, channel, amount: costOf(used, costs), charge: 0n });
  const outcome: Outcome = {
    ...input.outcome,
    status: 'internal_error',
    buckets: NO_BUCKETS,
    reasoning: 0,
    estimated: false,
    rule: 'gateway_failed',
  };
  const kept = items.length > 0 ? { items, guard: losses?.guard ?? null } : undefined;
  return { requestId, accountId, keyId, giveBackSlots: true, freeAddress, outcome, losses: kept };
}
