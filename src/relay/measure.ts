// The usage of an answer: as its upstream reported it, by our own count where there is no report, and at no price yet.

import type { Model } from '../catalog/catalog.ts';
import type { AnswerFacts, Output, ReportedUsage, UsageReport } from '../dialects/dialect.ts';
import { estimatedInput } from '../dialects/input/estimated-input.ts';
import { Fault } from '../faults/fault.ts';
import type { Nano } from '../kit/money.ts';
import type { ServiceTiers, ToolCalls } from '../kit/prices.ts';
import { wholeTokens } from '../kit/tokens.ts';
import { hasPrice } from '../ledger/cost.ts';
import { type Buckets, type ChargeRule, NO_BUCKETS } from '../store/rows.ts';
import type { Run } from './begun.ts';
import type { Call } from './call.ts';
import type { ChosenRoute } from './plan.ts';

/** Usage of everything that has a price. */
export interface Used {
  buckets: Buckets;
  tiers: ServiceTiers;
  toolCalls?: ToolCalls | undefined;
}

export interface Bill extends ReportedUsage, Used {
  cost: Nano;
  estimated: boolean;
  /** The model whose price is charged. */
  model: string;
  reported: UsageReport;
  rule: ChargeRule;
  /** The upstream's usage beyond the charged part. */
  uncovered: Buckets;
  /** The service tier and the calls of tools that are charged. */
  chargedTier: string | null;
  chargedCalls: ToolCalls | null;
}

/** Whole answers are finished. */
type MeasuredFacts = AnswerFacts & { finished?: boolean };

/**
 * The usage without a price. Images are counted as returned, whatever the upstream reports, and characters as requested; only
 * tokens with a price are estimated.
 */
export function measure(call: Call, step: ChosenRoute, facts: MeasuredFacts): Bill {
  const { request } = call;
  const { model } = step;
  const { id, prices } = model;
  const { usage, output, finished = true } = facts;
  const { images, surplusImages = 0 } = output;
  const tokens = output.tokens + mediaTokensOf(request, model, output);
  const uncovered = surplusImages > 0 ? { ...NO_BUCKETS, images: surplusImages } : NO_BUCKETS;
  const report = typeof usage === 'object' ? usage : undefined;
  const isCountedHere = report?.counted?.some((bucket) => hasPrice(bucket, prices)) ?? false;
  const isCounted = images > 0 || (request.characters ?? 0) > 0;
  // A report before the end has only the beginning of the output, and no results of tools.
  const lacksOutput = report !== undefined && (report.lacksOutput === true || !finished);
  const toolCalls = finished && report?.toolCalls ? { ...output.toolCalls, ...report.toolCalls } : output.toolCalls;
  let buckets: Buckets;
  if (report) {
    const counted = lacksOutput ? withReasoning(report.reasoning, tokens, output) : 0;
    const input = report.buckets.input + (finished ? 0 : (output.toolInput ?? 0));
    const used = {
      ...report.buckets,
      ...cacheWrites(call, step, report.buckets),
      input,
      output: Math.max(report.buckets.output, counted),
      images,
    };
    buckets = { ...used, ...otherUnits(request, report.buckets) };
  } else {
    const input = estimatedInput(request.input, model, output.toolInput);
    buckets = { ...NO_BUCKETS, input, output: wholeTokens(tokens), images, ...otherUnits(request) };
  }
  return {
    ...report,
    buckets,
    reasoning: report?.reasoning ?? 0,
    cost: 0n,
    estimated: report ? lacksOutput || isCountedHere : !isCounted || prices.input > 0n || prices.output > 0n,
    model: id,
    reported: usage,
    rule: 'served',
    uncovered,
    tiers: { sent: sentTier(call, step), reported: report?.serviceTier },
    toolCalls,
    chargedTier: null,
    chargedCalls: null,
  };
}

/** Upstreams of the OpenAI formats report one figure for all cache writes, which are as long as the request asked for. */
function cacheWrites({ request, carriers }: Call, { model, route }: ChosenRoute, reported: Buckets): Partial<Buckets> {
  const { cacheWrite5m, cacheWrite1h } = reported;
  if (!request.wantsLongCache || cacheWrite5m === 0) return {};
  // If no long price is set, a long write would cost less than a short one.
  if (model.prices.cacheWrite1h < model.prices.cacheWrite5m) return {};
  const carrier = carriers.find(model, route);
  const isSent = !(carrier instanceof Fault) && !carrier.isTranslated;
  return isSent ? { cacheWrite5m: 0, cacheWrite1h: cacheWrite1h + cacheWrite5m } : {};
}

/** Units other than tokens and images: as reported, or else by our own count of the request. */
export function otherUnits(request: Call['request'], reported: Buckets = NO_BUCKETS) {
  return {
    seconds: reported.seconds || (request.likelySeconds ?? request.seconds ?? 0),
    characters: request.characters ?? 0,
    searches: reported.searches || (request.likelySearches ?? request.searches ?? 0),
  };
}

/** The service tier that was sent; undefined if the route does not get the field. */
export function sentTier(
  { request, carriers }: Pick<Call, 'request' | 'carriers'>,
  step: ChosenRoute,
): string | undefined {
  if (request.serviceTier === undefined) return undefined;
  const carrier = carriers.find(step.model, step.route);
  return carrier instanceof Fault ? undefined : carrier.serviceTier;
}

/** An estimate, which is never more than the output can be. */
export function mediaTokensOf(
  { choices, maxOutputTokens }: Call['request'],
  model: Model,
  { mediaTokens = 0 }: Output,
): number {
  const bound = Math.min(maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens);
  return Math.min(mediaTokens, bound * choices);
}

/** Reasoning, reported or estimated or as shown, plus the visible tokens by our own count. */
export function withReasoning(reasoning: number, tokens: number, { reasoningTokens: shown }: Output): number {
  return wholeTokens(Math.max(reasoning, shown) + Math.max(0, tokens - shown));
}

/** The usage of a run whose output is not charged: it broke, or another run replaced it. */
export function usedBy(call: Call, { step, reader, unseenTokens = 0 }: Run): Used {
  const facts = reader.facts();
  const { buckets, reasoning, estimated, tiers, toolCalls } = measure(call, step, facts);
  if (!estimated) return { buckets, tiers, toolCalls };
  const tokens = facts.output.tokens + mediaTokensOf(call.request, step.model, facts.output);
  const counted = withReasoning(Math.max(unseenTokens, reasoning), tokens, facts.output);
  return { buckets: { ...buckets, output: Math.max(buckets.output, counted) }, tiers, toolCalls };
}
