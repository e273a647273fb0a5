// What an answer costs: reported usage at the pinned price, our own count where the upstream gave none. The rules are those of
// docs/billing.md. An answer of several runs is one answer.

import type { Model } from '../catalog/catalog.ts';
import { checkReportOfEnded } from '../dialects/counts.ts';
import type {
  AnswerFacts,
  Output,
  ReportedUsage,
  Sent,
  StreamFacts,
  StreamReader,
  UsageReport,
} from '../dialects/dialect.ts';
import { estimatedInput } from '../dialects/input/estimated-input.ts';
import type { Nano } from '../kit/money.ts';
import { wholeTokens } from '../kit/tokens.ts';
import { costOf } from '../ledger/cost.ts';
import { type Buckets, type ChargeRule, NO_BUCKETS } from '../store/rows.ts';
import type { Call } from './call.ts';
import type { Step } from './plan.ts';

export interface Bill extends ReportedUsage {
  cost: Nano;
  estimated: boolean;
  /** The model whose price is charged. */
  model: string;
  reported: UsageReport;
  rule: ChargeRule;
  /** What the upstream used beyond what is charged. */
  uncovered: Buckets;
}

/** One upstream's part in a stream. */
export interface Run {
  step: Step;
  reader: StreamReader;
  /** What it was given as the beginning of its answer; undefined if it answered from the start. */
  prefilledTokens: number | undefined;
  /** What it may have reasoned unseen, once it is known that nobody pays for it. */
  unseenTokens?: number;
}

export type Runs = readonly [Run, ...Run[]];

/** The one that brought the answer to its end, or as far as it came. */
export function lastOf(runs: Runs): Run {
  return runs.at(-1) ?? runs[0];
}

/** Reasoning of the last run that its upstream does not show. */
export interface UnseenReasoning {
  isPossible: boolean;
  /** Its tokens, where no report says how many there were. */
  estimate: number;
}

/** How the customer's side ended an answer: by hanging up, a stop sequence, its hour or its output bound. */
export interface Ended {
  rule: ChargeRule;
  delivered: Readonly<Sent>;
  unseen: UnseenReasoning;
  /** The output tokens that were held for each choice or image. */
  bound: number;
}

export function nothingBilled(model: string, rule: ChargeRule, used: Buckets): Bill {
  return {
    buckets: used,
    reasoning: 0,
    cost: 0n,
    estimated: false,
    model,
    reported: 'absent',
    rule,
    uncovered: NO_BUCKETS,
  };
}

/** An answer without output is free; its tokens are shown as they were used. */
export function billAnswer(call: Call, model: Model, facts: AnswerFacts, mayHide: boolean): Bill {
  const { output, tokensAfterStop } = facts;
  const seen = output.tokens + (tokensAfterStop ?? 0);
  const usage = tokensAfterStop === undefined ? facts.usage : checkReportOfEnded(facts.usage, seen);
  const used = measure(call, model, { ...facts, usage });
  if (!hasOutput(call, facts)) return notCharged(used, 'empty_answer');
  if (tokensAfterStop === undefined) return priced(used, model);
  const bill = withOutput(used, {
    output: chargedOutput(
      used,
      { made: seen, got: output.tokens, margin: mayHide ? TOKENIZER_MARGIN : undefined },
      facts,
    ),
    rule: 'stop_matched',
  });
  return priced(bill, model);
}

/** The client left before a whole answer came: it pays for input and reasoning. */
export function billUnsent(call: Call, model: Model, facts: AnswerFacts): Bill {
  const used = measure(call, model, facts);
  if (!hasOutput(call, facts)) return notCharged(used, 'empty_answer');
  const output = Math.min(used.buckets.output, withReasoning(used.reasoning, 0, facts.output));
  return priced(withOutput(used, { output, images: 0, rule: 'hung_up' }), model);
}

/** A run that answered from the start is the bill. One that continued by prefill is billed as if it had done all of it. */
export function billStream(call: Call, runs: Runs): Bill {
  const last = lastOf(runs);
  const { step, reader, prefilledTokens } = last;
  const facts = reader.facts();
  const measured = measure(call, step.model, facts);
  // Nobody pays for it, and what its model reasons unseen is lost, too.
  const used = step.model.free ? { ...measured, buckets: usedBy(call, last) } : measured;
  if (prefilledTokens === undefined && !hasOutput(call, facts)) return notCharged(used, 'empty_answer');
  const bill = withPrefilled(used, prefilledTokens);
  if (runs.length > 1) bill.rule = 'resumed';
  return priced(bill, runs[0].step.model, runs.slice(1));
}

/**
 * The answer ended on the customer's side: input, reasoning and the output that was delivered. By the upstream's report, of
 * which the output that was not delivered is taken off; without a report by our own count and an estimate of the reasoning.
 */
export function billEnded(call: Call, runs: Runs, ended: Ended): Bill {
  const { step, reader, prefilledTokens } = lastOf(runs);
  const facts = reader.facts();
  const { delivered, unseen, rule, bound } = ended;
  const said = facts.output.tokens + (facts.tokensAfterStop ?? 0);
  const usage = facts.finished ? checkReportOfEnded(facts.usage, said) : facts.usage;
  const measured = measure(call, step.model, { ...facts, usage });
  const used = withPrefilled(measured, prefilledTokens);
  const made = said + (prefilledTokens ?? 0);
  const got = delivered.tokens + (facts.unshownTokens ?? 0);
  const { images } = delivered;
  if (call.request.images > images) used.uncovered = { ...NO_BUCKETS, images: call.request.images - images };
  const models = [runs[0].step.model, runs.slice(1)] as const;
  if (facts.finished && !measured.estimated) {
    const seen = { made, got, margin: unseen.isPossible ? TOKENIZER_MARGIN : delivered.hasMedia ? 1 : undefined };
    const output = images > 0 ? tokensOfImages(used, facts, images) : chargedOutput(used, seen, facts);
    return priced(withOutput(used, { output, images, rule }), ...models);
  }
  const imageTokens = images > 0 && step.model.prices.output > 0n ? bound * images : 0;
  const media = delivered.hasMedia ? wholeTokens(mediaTokensOf(call.request, step.model, facts.output)) : 0;
  const outputOf = (tokens: number) =>
    withReasoning(Math.max(unseen.estimate, measured.reasoning), tokens, facts.output) + imageTokens + media;
  const estimated: Bill = {
    ...used,
    buckets: { ...used.buckets, output: outputOf(made) },
    reasoning: 0,
    estimated: true,
    lacksOutput: undefined,
    isRestated: undefined,
  };
  return priced(withOutput(estimated, { output: outputOf(got), images, rule }), ...models);
}

/** The upstream said more than the bound that it was given: the bound is charged. */
export function billAtBound(call: Call, runs: Runs, bound: number): Bill {
  const { step, reader, prefilledTokens } = lastOf(runs);
  const used = withPrefilled(measure(call, step.model, reader.facts()), prefilledTokens);
  const bill = withOutput(
    { ...used, estimated: true },
    { output: Math.min(bound, used.buckets.output), rule: 'output_limit' },
  );
  return priced(bill, runs[0].step.model, runs.slice(1));
}

/** What a run used whose output is not charged: it broke, and the stream could not be finished or another run took over. */
export function usedBy(call: Call, { step, reader, unseenTokens = 0 }: Run): Buckets {
  const facts = reader.facts();
  const { buckets, reasoning, estimated } = measure(call, step.model, facts);
  if (!estimated) return buckets;
  const tokens = facts.output.tokens + mediaTokensOf(call.request, step.model, facts.output);
  const counted = withReasoning(Math.max(unseenTokens, reasoning), tokens, facts.output);
  return { ...buckets, output: Math.max(buckets.output, counted) };
}

/** Reasoning, by a report or an estimate or as far as it was shown, and the rest of so many tokens by our own count. */
function withReasoning(reasoning: number, tokens: number, { reasoningTokens: shown }: Output): number {
  return wholeTokens(Math.max(reasoning, shown) + Math.max(0, tokens - shown));
}

function tokensOfImages({ buckets }: Bill, { output }: StreamFacts, images: number): number {
  return Math.ceil(buckets.output * Math.min(1, images / Math.max(1, output.images)));
}

interface SeenOutput {
  /** Tokens of visible output that the upstream produced, and that the client got, by our own count. */
  made: number;
  got: number;
  /** Set if the upstream may have counted what is not visible: how many tokens it makes of what we count as one. */
  margin: number | undefined;
}

/** Of most tokenizers it is less: what is taken for reasoning is not visible output that another tokenizer counts higher. */
const TOKENIZER_MARGIN = 1.3;

/** Of the reported output, what the customer pays: reasoning and what it got. */
function chargedOutput({ buckets, reasoning }: Bill, { made, got, margin }: SeenOutput, facts: AnswerFacts) {
  const reported = buckets.output;
  const rest = made - got;
  // Less than a token is a difference of rounding.
  if (rest < 1) return reported;
  const reasoned = withReasoning(reasoning, got, facts.output);
  const withoutRest = margin === undefined ? 0 : reported - Math.ceil(rest * margin);
  return Math.min(reported, Math.max(reasoned, withoutRest));
}

/** Whole answers are finished. */
type MeasuredFacts = AnswerFacts & { finished?: boolean };

/**
 * What was used, at no price yet. Images are billed by what was returned, whatever the upstream says it used; only tokens are
 * ever a guess, if they cost.
 */
export function measure({ request }: Call, model: Model, facts: MeasuredFacts): Bill {
  const { id, prices, contextTokens } = model;
  const { usage, output, finished = true } = facts;
  const { images, surplusImages = 0 } = output;
  const tokens = output.tokens + mediaTokensOf(request, model, output);
  const uncovered = surplusImages > 0 ? { ...NO_BUCKETS, images: surplusImages } : NO_BUCKETS;
  if (typeof usage === 'object') {
    const { buckets } = usage;
    // What is reported before the end is only a beginning of the output.
    const lacksOutput = usage.lacksOutput === true || !finished;
    const reasoned = usage.lacksOutput ? buckets.output : usage.reasoning;
    const counted = lacksOutput ? withReasoning(reasoned, tokens, output) : 0;
    const used = Math.max(buckets.output, counted);
    return {
      ...usage,
      buckets: { ...buckets, output: used, images },
      cost: 0n,
      estimated: lacksOutput,
      model: id,
      reported: usage,
      rule: 'served',
      uncovered,
    };
  }
  const input = estimatedInput(request.input, contextTokens);
  return {
    buckets: { ...NO_BUCKETS, input, output: wholeTokens(tokens), images },
    reasoning: 0,
    cost: 0n,
    estimated: images === 0 || prices.input > 0n || prices.output > 0n,
    model: id,
    reported: usage,
    rule: 'served',
    uncovered,
  };
}

/** An estimate, which is never more than the output can be. */
function mediaTokensOf(
  { choices, maxOutputTokens }: Call['request'],
  model: Model,
  { mediaTokens = 0 }: Output,
): number {
  const bound = Math.min(maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens);
  return Math.min(mediaTokens, bound * choices);
}

/** Text that an upstream was given as the beginning of its answer is not input of the client, but output that it has. */
function withPrefilled(bill: Bill, prefilledTokens: number | undefined): Bill {
  if (prefilledTokens === undefined) return bill;
  // Our own count of the input has no prefill in it.
  const isCounted = typeof bill.reported !== 'object';
  const input = isCounted ? bill.buckets : lessInput(bill.buckets, prefilledTokens);
  return {
    ...bill,
    buckets: { ...input, output: bill.buckets.output + prefilledTokens },
    estimated: true,
    lacksOutput: undefined,
    isRestated: undefined,
  };
}

interface Charged {
  output: number;
  images?: number;
  rule: ChargeRule;
}

/** The same with only a part of its output charged. */
function withOutput(bill: Bill, { output, images = bill.buckets.images, rule }: Charged): Bill {
  const { buckets } = bill;
  const rest = {
    output: Math.max(0, buckets.output - output),
    images: Math.max(0, buckets.images - images) + bill.uncovered.images,
  };
  const uncovered = rest.output > 0 || rest.images > 0 ? { ...NO_BUCKETS, ...rest } : NO_BUCKETS;
  return {
    ...bill,
    buckets: { ...buckets, output, images },
    reasoning: Math.min(bill.reasoning, output),
    isRestated: bill.isRestated || output !== buckets.output || undefined,
    rule,
    uncovered,
  };
}

function notCharged(bill: Bill, rule: ChargeRule): Bill {
  return { ...bill, rule, uncovered: bill.buckets };
}

const INPUT_BUCKETS = ['input', 'cacheWrite5m', 'cacheWrite1h', 'cachedInput'] as const;

function lessInput(buckets: Buckets, tokens: number): Buckets {
  const left = { ...buckets };
  let rest = tokens;
  for (const name of INPUT_BUCKETS) {
    const taken = Math.min(left[name], rest);
    left[name] -= taken;
    rest -= taken;
  }
  return left;
}

const NO_RUNS: readonly Run[] = [];

/** Begun by one model and continued by another: the lower price is charged; of equals, the last one's. */
function priced(bill: Bill, first: Model, others: readonly Run[] = NO_RUNS): Bill {
  bill.model = first.id;
  bill.cost = costOf(bill.buckets, first.prices);
  for (const { step } of others) {
    const cost = costOf(bill.buckets, step.model.prices);
    if (cost > bill.cost) continue;
    bill.cost = cost;
    bill.model = step.model.id;
  }
  return bill;
}

/** Whether an answer is charged. One without visible output is, if the request itself ended it or reasoning was reported. */
function hasOutput({ request }: Call, { output, usage, finish }: AnswerFacts): boolean {
  if (output.hasContent || output.hasReasoning) return true;
  if (typeof usage !== 'object') return false;
  if (usage.reasoning > 0) return true;
  switch (finish) {
    case 'length':
      // A prompt that left it no room is no answer. With a bound of 0 only the cache was to be filled.
      return usage.buckets.output > 0 || request.maxOutputTokens === 0;
    case 'stop_sequence':
      return true;
    case 'end':
      return request.hasStops;
    case 'other':
      return false;
  }
}
