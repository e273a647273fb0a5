// Admit, settle and release for the relay. A close is retried until it commits; the hold stays open meanwhile, so the
// money is neither lost nor spent twice.

import { Fault } from '../faults/fault.ts';
import type { Alarms } from '../kit/alarms.ts';
import { type Clock, sleep } from '../kit/clock.ts';
import { describeError } from '../kit/log.ts';
import { formatNtd, minNano, NANO_PER_NTD, type Nano } from '../kit/money.ts';
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
import { type Loss, NO_BUCKETS, type UsageRecord } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
/** A smaller write-off is booked without an alarm: one cent. */
const ALARMING_WRITE_OFF: Nano = NANO_PER_NTD / 100n;

export type Ledger = ReturnType<typeof createLedger>;

/** The input of a release in place of a settlement. */
interface Unsettled {
  /** Its free slot is given back. */
  freeAddress?: string | undefined;
  /** The upstream's bill for the usage that the customer would have paid for. */
  upstreamCost(): Nano;
}

interface Held {
  requestId: string;
  accountId: string;
  /** Monotonic time before the admission. */
  since: number;
}

interface LedgerTools {
  store: Pick<Store, 'commit' | 'read'>;
  clock: Clock;
  alarms: Alarms;
  lossMeter?: LossMeter | undefined;
  /** This node's lease, once it has one. */
  lease(): { renew(): Promise<void>; hasLivedSince(since: number): boolean } | undefined;
}

export function createLedger({ store, clock, alarms, lossMeter, lease }: LedgerTools) {
  let closing = 0;

  function admit(name: 'admit' | 'previewAdmit', input: AdmitInput): Promise<AdmitResult> {
    return store.commit(name, input).then((result) => (isLeaseLost(result) ? admitAgain(name, input) : result));
  }

  /** A lease that expired by the wall clock alone is renewed at once: the next renewal may be seconds away. */
  async function admitAgain(name: 'admit' | 'previewAdmit', input: AdmitInput): Promise<AdmitResult> {
    await lease()?.renew();
    return store.commit(name, input);
  }

  /** Renews the lease first, so that no other node releases the hold after this check. */
  async function isStillOpen({ requestId, accountId }: Held): Promise<boolean> {
    try {
      await lease()?.renew();
      return (await store.read.openHolds(accountId)).some((hold) => hold.requestId === requestId);
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }

  /** A bug here must not keep a customer's money: on failure it releases, if necessary without booking the losses. */
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
          if (result.state === 'late') await bookLate(input);
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

  /** Only after a sweep: a hold that anything else resolved was resolved with its losses. */
  async function bookLate(input: SettleInput | ReleaseInput): Promise<void> {
    const { requestId, accountId, outcome } = input;
    const record = await store.read.usageRecord(accountId, requestId);
    if (record?.status !== 'gateway_died') return;
    const items = lossesBeyondHold(input, record);
    if (items.length === 0) return;
    await store.commit('bookLosses', { requestId, accountId, items, at: outcome.at });
    for (const item of items) lossMeter?.booked(item);
  }

  /** Rethrows errors that a retry cannot fix. */
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

  /** For settlements only: a release without a hold has nothing to report. */
  function report(result: CloseResult, { requestId, outcome }: SettleInput | ReleaseInput): void {
    if (result.state === 'late') alarms.raise('settle_after_release', { request_id: requestId });
    else if (result.writtenOff >= ALARMING_WRITE_OFF) {
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

  /** Once per account and day, because the operator checks the account and not each call. */
  function reportGuard(charged: Nano, { requestId, accountId, losses }: SettleInput | ReleaseInput): void {
    alarms.raise('account_losses', {
      request_id: requestId,
      account_id: accountId,
      cost_nano: charged.toString(),
      detail: `losses of the day reached the guard of NT$${formatNtd(losses?.guard ?? 0n)}`,
    });
  }

  return {
    /** Takes limit slots and hold together; durable when it resolves with `ok`. */
    admit: (input: AdmitInput) => admit('admit', input),
    /** The result that `admit` would have now; reserves nothing. */
    previewAdmit: (input: AdmitInput) => admit('previewAdmit', input),
    /** False when another node released the hold, because it considered this one dead, or when the store cannot answer. */
    isHeld: (held: Held) => (lease()?.hasLivedSince(held.since) ? Promise.resolve(true) : isStillOpen(held)),
    /** Releases the request if a bug here makes settling impossible. */
    settle: (input: SettleInput, unsettled: Unsettled) => close('settle', input, unsettled),
    release: (input: ReleaseInput) => close('release', input),
    /** Closes that have not committed yet. */
    closing: () => closing,
  };
}

function isLeaseLost(result: AdmitResult): boolean {
  return !result.ok && result.reason === 'lease_lost';
}

/** A failure of the gateway gives the slots back and charges nothing: the cost of the call is booked as a loss. */
function releaseInstead(input: SettleInput, { freeAddress, upstreamCost }: Unsettled): ReleaseInput {
  const { requestId, accountId, keyId, chain, cost, losses } = input;
  const { model, channel } = input.outcome;
  // The cost of the call already includes what exceeds the hold, and what a dearer service tier costs.
  const others = (losses?.items ?? []).filter(({ reason }) => reason !== 'above_hold' && reason !== 'service_tier');
  const items: Loss[] = others.map((item) => ({ ...item, charge: 0n }));
  if (model && cost > 0n) items.push({ reason: 'gateway_cut', model, channel, amount: upstreamCost(), charge: 0n });
  const outcome: Outcome = {
    ...input.outcome,
    status: 'internal_error',
    buckets: NO_BUCKETS,
    reasoning: 0,
    estimated: false,
    rule: 'gateway_failed',
    serviceTier: null,
    toolCalls: null,
    upstreamCost: 0n,
  };
  const kept = items.length > 0 ? { items, guard: losses?.guard ?? null } : undefined;
  return { requestId, accountId, keyId, chain, giveBackSlots: true, freeAddress, outcome, losses: kept };
}

/**
 * A request whose hold was swept before its close arrived: its node was paused for longer than its lease, and went on. The
 * sweep has booked the hold as the loss. What upstreams bill beyond that is known only now.
 */
type Swept = Pick<UsageRecord, 'model' | 'held'>;

/** The answer first, then the losses in their order: the part of each that the hold does not cover. */
function lossesBeyondHold(input: SettleInput | ReleaseInput, { model, held }: Swept): Loss[] {
  let covered = held;
  const beyond = (amount: Nano): Nano => {
    const rest = amount > covered ? amount - covered : 0n;
    covered -= amount - rest;
    return rest;
  };
  return [...billOf(input, { model, held }), ...(input.losses?.items ?? [])]
    .map((item): Loss => ({ ...item, amount: beyond(item.amount), charge: 0n }))
    .filter(({ amount }) => amount > 0n);
}

/**
 * The upstreams' bill for the answer itself, at the sale price if the route states no cost. The excess of a settlement over the
 * hold is among the losses.
 */
function billOf(input: SettleInput | ReleaseInput, { model: asked, held }: Swept): Loss[] {
  if (!('cost' in input)) return [];
  const { model = asked, channel, upstreamCost } = input.outcome;
  const amount = upstreamCost ?? minNano(input.cost, held);
  return [{ reason: 'above_hold', model, channel, amount, charge: 0n }];
}

/** Counts losses after they are booked. Never throws and never waits. */
export interface LossMeter {
  booked(loss: Pick<Loss, 'reason' | 'model' | 'channel' | 'amount'>): void;
  /** The guard charged the losses of a request to its account. */
  charged(): void;
}
