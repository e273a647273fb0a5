// What an answer costs: reported usage at the pinned price, our own count where the upstream gave none. One that holds
// nothing costs nothing, but its tokens are told as they were used. An answer of several runs is one answer.

import type { Model } from '../catalog/catalog.ts';
import type {
  AnswerFacts,
  Output,
  ReportedUsage,
  Sent,
  StreamFacts,
  StreamReader,
  UsageReport,
} from '../dialects/dialect.ts';
import type { Nano } from '../kit/money.ts';
import { wholeTokens } from '../kit/tokens.ts';
import { costOf } from '../ledger/cost.ts';
import { type Buckets, NO_BUCKETS } from '../store/rows.ts';
import type { Call } from './call.ts';

export interface Bill extends ReportedUsage {
  cost: Nano;
  estimated: boolean;
  /** The model whose price is charged. */
  model: string;
  reported: UsageReport;
}

/** One upstream's part in a stream. */
export interface Run {
  model: Model;
  reader: StreamReader;
  /** What it was given as the beginning of its answer; undefined if it answered from the start. */
  prefilledTokens: number | undefined;
}

export function nothingBilled(model: string): Bill {
  return { buckets: NO_BUCKETS, reasoning: 0, cost: 0n, estimated: false, model, reported: 'absent' };
}

export function billAnswer(call: Call, model: Model, facts: AnswerFacts): Bill {
  const usage = measure(call, model, facts);
  return hasOutput(call, facts) ? priced(usage, facts.usage, model) : unpriced(usage, model, facts.usage);
}

/** A run that answered from the start is the bill. One that continued by prefill is billed as if it had done all of it. */
export function billStream(call: Call, runs: readonly [Run, ...Run[]]): Bill {
  const { model, reader, prefilledTokens } = runs.at(-1) ?? runs[0];
  const facts = reader.facts();
  const usage = measure(call, model, facts);
  if (prefilledTokens === undefined && !hasOutput(call, facts)) return unpriced(usage, model, facts.usage);
  return priced(withPrefilled(usage, prefilledTokens), facts.usage, runs[0].model, runs.slice(1));
}

/**
 * The client left in the middle: input as reported, else as counted; output as far as it was delivered, by our own count
 * unless an upstream that was read to its end says that it was less. What a picture or a sound took, only the upstream can say.
 */
export function billDelivered(call: Call, runs: readonly [Run, ...Run[]], delivered: Sent): Bill {
  const { model, reader, prefilledTokens } = runs.at(-1) ?? runs[0];
  const facts = reader.facts();
  const measured = measure(call, model, facts);
  const used = withPrefilled(measured, prefilledTokens);
  const output = wholeTokens(delivered.tokens + mediaTokens(measured, facts, delivered));
  const isExact = !used.estimated && facts.finished && used.buckets.output <= output;
  const { images } = delivered;
  const usage: Measured = isExact
    ? { ...used, buckets: { ...used.buckets, images } }
    : { buckets: { ...used.buckets, output, images }, reasoning: 0, estimated: true };
  return priced(usage, facts.usage, runs[0].model, runs.slice(1));
}

/** What pictures and sounds took that were delivered: in a chat, what is reported at the end beyond the words. */
function mediaTokens({ buckets, estimated }: Measured, { output, finished }: StreamFacts, delivered: Sent): number {
  if (delivered.images > 0) return buckets.output * Math.min(1, delivered.images / Math.max(1, output.images));
  return delivered.hasMedia && finished && !estimated ? Math.max(0, buckets.output - output.tokens) : 0;
}

interface Measured extends ReportedUsage {
  estimated: boolean;
}

/** Images are billed by what was returned, whatever the upstream says it used; only tokens are ever a guess, if they cost. */
function measure({ request }: Call, { prices }: Model, { usage, output }: AnswerFacts): Measured {
  const { tokens, images } = output;
  if (typeof usage === 'object') {
    const { buckets, lacksOutput = false } = usage;
    const used = lacksOutput ? withCounted(buckets.output, output) : buckets.output;
    return { ...usage, buckets: { ...buckets, output: used, images }, estimated: lacksOutput };
  }
  return {
    buckets: { ...NO_BUCKETS, input: request.input.estimate, output: wholeTokens(tokens), images },
    reasoning: 0,
    estimated: images === 0 || prices.input > 0n || prices.output > 0n,
  };
}

/** Thoughts that were told are a fact. Those that came in words are in our own count, too, and are paid once. */
function withCounted(thoughts: number, { tokens, hasReasoning }: Output): number {
  const counted = wholeTokens(tokens);
  return hasReasoning ? Math.max(thoughts, counted) : thoughts + counted;
}

/** What an upstream was given as the beginning of its answer is no input of the client's, but output it has got. */
function withPrefilled(usage: Measured, prefilledTokens: number | undefined): Measured {
  if (prefilledTokens === undefined) return usage;
  // Our own count of the input has no prefill in it.
  const isCounted = usage.estimated && !usage.lacksOutput;
  const input = isCounted ? usage.buckets : lessInput(usage.buckets, prefilledTokens);
  const buckets = { ...input, output: usage.buckets.output + prefilledTokens };
  return { buckets, reasoning: usage.reasoning, estimated: true };
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
function priced(usage: Measured, reported: UsageReport, first: Model, others: readonly Run[] = NO_RUNS): Bill {
  let model = first.id;
  let cost = costOf(usage.buckets, first.prices);
  for (const { model: other } of others) {
    const otherCost = costOf(usage.buckets, other.prices);
    if (otherCost > cost) continue;
    cost = otherCost;
    model = other.id;
  }
  return { ...usage, cost, model, reported };
}

function unpriced(usage: Measured, { id }: Model, reported: UsageReport): Bill {
  return { ...usage, cost: 0n, model: id, reported };
}

function hasOutput({ request }: Call, { output, usage, finish }: AnswerFacts): boolean {
  if (output.hasContent || output.hasReasoning) return true;
  // At its bound it did what was asked: it thought unseen, or filled its cache. A prompt that left it no room is no answer.
  if (finish !== 'length' || typeof usage !== 'object') return false;
  return usage.buckets.output > 0 || request.maxOutputTokens === 0;
}
