// Losses: what upstreams bill for a call and its customer does not pay. They are booked with the close, each with its reason.

import type { UsageReport } from '../dialects/dialect.ts';
import { estimatedInput } from '../dialects/input/estimated-input.ts';
import type { Nano } from '../kit/money.ts';
import { chargedTier, type ListPrices, pricesFor, servedTier } from '../kit/prices.ts';
import { costAt, costOf, feesOf, inputOf } from '../ledger/cost.ts';
import { type Loss, type LossReason, NO_BUCKETS } from '../store/rows.ts';
import { lastOf, type Runs } from './begun.ts';
import type { Admission, Call } from './call.ts';
import { type Bill, otherUnits, sentTier, type Used, usedBy } from './measure.ts';
import { maySpendUnseen, needsReport } from './needs-report.ts';
import type { AttemptOutcome } from './outcomes.ts';
import type { ChosenRoute } from './plan.ts';
import { READ_TO_END_MS } from './read-to-end.ts';

/** `wholeInput`: the input of the whole request, if `used` has only a part of it. Price tiers depend on it. */
function lossOf(
  reason: LossReason,
  { route, model }: ChosenRoute,
  used: Used,
  wholeInput = inputOf(used.buckets),
): Loss {
  const { buckets, tiers, toolCalls } = used;
  const amountAt = (list: ListPrices, tier: string | null) =>
    costAt(buckets, pricesFor(list, wholeInput, tier)) + feesOf(toolCalls, list);
  return {
    reason,
    model: model.id,
    channel: route.channel.name,
    amount: amountAt(route.costs, servedTier(route.costs, tiers)),
    isAtSalePrice: !route.isCostKnown,
    // A failure of our own is never charged.
    charge: reason === 'gateway_cut' ? 0n : amountAt(model.prices, chargedTier(model.prices, tiers)),
  };
}

/** Another attempt or run served the call: its customer never pays for these. */
export function withoutCharge(losses: readonly Loss[]): Loss[] {
  return losses.map((loss) => ({ ...loss, charge: 0n }));
}

/** No attempt served the call: it ends without a charge, and counts for the guard. */
export function lossesWithoutAnswer(losses: readonly Loss[]): Loss[] {
  return losses.map((loss) => (loss.reason === 'failed_attempt' ? { ...loss, reason: 'no_answer' } : loss));
}

/** The losses of an answer that was delivered, completely or in part. */
export function lossesOfBill({ held }: Pick<Admission, 'held'>, bill: Bill, step: ChosenRoute): Loss[] {
  const { uncovered, cost, rule } = bill;
  const losses: Loss[] = [];
  if (uncovered !== NO_BUCKETS) losses.push(lossOfUncovered(bill, step));
  if (step.model.free && rule !== 'empty_answer') losses.push(lossOf('free_model', step, bill));
  if (cost > held) losses.push(operatorLoss('above_hold', step, (costAsNamed(bill, step) * (cost - held)) / cost));
  // Included in the losses above.
  if (!step.route.costs.rules || step.model.free || rule === 'empty_answer') return losses;
  const tierLoss = upstreamCost(bill, step) - costAsNamed(bill, step);
  if (tierLoss > 0n) losses.push(operatorLoss('service_tier', step, tierLoss));
  return losses;
}

function lossOfUncovered({ buckets, uncovered, rule, tiers, toolCalls }: Bill, step: ChosenRoute): Loss {
  const reason = rule === 'empty_answer' ? rule : 'undelivered';
  if (uncovered === buckets) return lossOf(reason, step, { buckets, tiers, toolCalls });
  return lossOf(reason, step, { buckets: uncovered, tiers }, inputOf(buckets) + inputOf(uncovered));
}

function operatorLoss(reason: LossReason, { route, model }: ChosenRoute, amount: Nano): Loss {
  return { reason, model: model.id, channel: route.channel.name, amount, charge: 0n };
}

/** The upstream's bill for the usage that the customer pays, without the losses. Null if the route states no cost. */
export function coveredCost(bill: Bill, step: ChosenRoute, losses: readonly Loss[]): Nano | null {
  if (bill.rule === 'empty_answer') return 0n;
  if (!step.route.isCostKnown) return null;
  if (step.model.free) return 0n;
  let cost = upstreamCost(bill, step);
  for (const { reason, amount } of losses) if (reason === 'above_hold' || reason === 'service_tier') cost -= amount;
  return cost > 0n ? cost : 0n;
}

/** The upstream's bill for the charged usage. */
export function upstreamCost({ buckets, tiers, toolCalls }: Bill, { route: { costs } }: ChosenRoute): Nano {
  return costOf(buckets, costs, servedTier(costs, tiers), toolCalls);
}

/** The same at the service tier of the request: the customer does not pay for a more expensive one. */
function costAsNamed({ buckets, tiers, toolCalls }: Bill, { route: { costs } }: ChosenRoute): Nano {
  return costOf(buckets, costs, chargedTier(costs, tiers), toolCalls);
}

/** The losses of runs that another one replaced. If it continued their text, the customer pays for that text. */
export function lossesOfReplaced(call: Call, runs: Runs): Loss[] {
  return runs.slice(0, -1).map((run, index) => {
    const used = usedBy(call, run);
    const isContinued = runs[index + 1]?.prefilledTokens !== undefined;
    const buckets = isContinued ? { ...used.buckets, output: 0 } : used.buckets;
    return lossOf('replaced_run', run.step, { ...used, buckets });
  });
}

/** The losses of a stream that is not charged, over all its runs. */
export function lossesOfUnpaid(call: Call, runs: Runs, reason: LossReason): Loss[] {
  const last = lastOf(runs);
  return [...lossesOfReplaced(call, runs), lossOf(reason, last.step, usedBy(call, last))];
}

/** The loss reasons of failed attempts that the upstream had accepted. */
const REASONS: Partial<Record<AttemptOutcome, LossReason>> = {
  client_gone: 'client_gone',
  drained: 'gateway_cut',
};
/** The gateway ended the attempt: the upstream may bill it without having answered. */
const ENDED_BY_US: ReadonlySet<AttemptOutcome> = new Set([
  'silent',
  'idle',
  'late',
  'outrun',
  'too_slow',
  'client_gone',
  'drained',
  'left',
]);

/** Refused in spite of status 200. */
const NOT_BILLED: ReadonlySet<AttemptOutcome> = new Set(['not_an_answer', 'request_refused', 'rate_limited']);

interface FailedAttempt {
  outcome: AttemptOutcome;
  /** The upstream had accepted the request, with status 200. */
  isAccepted: boolean;
  /** It ran beside another one. */
  isHedge: boolean;
  elapsedMs: number;
  /** The tokens that it read, where that is not the request alone. */
  input?: number;
  /** The upstream was sent no output bound. */
  isUnbounded?: boolean;
  /** The usage that it reported in spite of the failure. */
  usage: UsageReport | undefined;
}

/** Its usage is mostly unknown: input is our own count, output is `mostOutput`. */
export function noteFailedAttempt(admission: Admission, step: ChosenRoute, failed: FailedAttempt): void {
  const report = typeof failed.usage === 'object' ? failed.usage : undefined;
  const reported = report?.buckets;
  if (!reported && (failed.isAccepted ? NOT_BILLED.has(failed.outcome) : !ENDED_BY_US.has(failed.outcome))) return;
  const { tools, request, key } = admission.call;
  const buckets = reported ?? {
    ...NO_BUCKETS,
    input: failed.input ?? estimatedInput(request.input, step.model),
    output: mostOutput(admission, step, failed),
    images: request.images,
    ...otherUnits(request),
  };
  const tiers = { sent: sentTier(admission.call, step), reported: report?.serviceTier };
  const used = { buckets, tiers, toolCalls: report?.toolCalls };
  const loss = lossOf(failed.isHedge ? 'hedge' : (REASONS[failed.outcome] ?? 'failed_attempt'), step, used);
  // Without a report, the cost of an upstream's failure is only estimated: no customer pays for that.
  if (loss.reason === 'failed_attempt' && !reported && failed.outcome !== 'too_large') loss.charge = 0n;
  if (loss.reason === 'hedge') tools.hedges.note(key.accountId, loss.amount);
  admission.losses = [...admission.losses, loss];
}

/** Estimated from its time, if hidden reasoning is possible. */
function mostOutput(
  { call, maxOutputTokens }: Admission,
  step: ChosenRoute,
  { outcome, elapsedMs, isUnbounded = false }: FailedAttempt,
): number {
  const { images, choices, stream } = call.request;
  // All images may have been produced.
  if (images > 0) return maxOutputTokens * images;
  // The hold may be for another route, which takes no bound.
  const sent = Math.max(call.model.maxOutputTokens, step.model.maxOutputTokens);
  const most = (isUnbounded ? maxOutputTokens : Math.min(maxOutputTokens, sent)) * choices;
  if (outcome === 'too_large' || outcome === 'flood') return most;
  // It was not read to its end, because too many others were: all of its output may have been produced.
  const isUnread = !stream && outcome === 'client_gone' && elapsedMs < READ_TO_END_MS;
  if (isUnread && needsReport(call, step)) return most;
  if (stream && !maySpendUnseen(call, step, elapsedMs)) return 0;
  const { channel, model } = step.route;
  return Math.min(call.tools.reasoning.estimate(channel.name, model, elapsedMs) * choices, most);
}
