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
  const bill = measure(call, model, facts);
  return hasOutput(call, facts) ? priced(bill, model) : bill;
}

/** A run that answered from the start is the bill. One that continued by prefill is billed as if it had done all of it. */
export function billStream(call: Call, runs: readonly [Run, ...Run[]]): Bill {
  const { model, reader, prefilledTokens } = runs.at(-1) ?? runs[0];
  const facts = reader.facts();
  const bill = measure(call, model, facts);
  if (prefilledTokens === undefined && !hasOutput(call, facts)) return bill;
  return priced(withPrefilled(bill, prefilledTokens), runs[0].model, runs.slice(1));
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
  const bill: Bill = isExact
    ? { ...used, buckets: { ...used.buckets, images } }
    : estimatedBill(used, { ...used.buckets, output, images }, 0);
  return priced(bill, runs[0].model, runs.slice(1));
}

/** What pictures and sounds took that were delivered: in a chat, what is reported at the end beyond the words. */
function mediaTokens({ buckets, estimated }: Bill, { output, finished }: StreamFacts, delivered: Sent): number {
  if (delivered.images > 0) return buckets.output * Math.min(1, delivered.images / Math.max(1, output.images));
  return delivered.hasMedia && finished && !estimated ? Math.max(0, buckets.output - output.tokens) : 0;
}

/**
 * What was used, at no price yet. Images are billed by what was returned, whatever the upstream says it used; only tokens are
 * ever a guess, if they cost.
 */
function measure({ request }: Call, { id, prices }: Model, { usage, output }: AnswerFacts): Bill {
  const { tokens, images } = output;
  if (typeof usage === 'object') {
    const { buckets, lacksOutput = false } = usage;
    const used = lacksOutput ? withCounted(buckets.output, output) : buckets.output;
    return {
      ...usage,
      buckets: { ...buckets, output: used, images },
      cost: 0n,
      estimated: lacksOutput,
      model: id,
      reported: usage,
    };
  }
  return {
    buckets: { ...NO_BUCKETS, input: request.input.estimate, output: wholeTokens(tokens), images },
    reasoning: 0,
    cost: 0n,
    estimated: images === 0 || prices.input > 0n || prices.output > 0n,
    model: id,
    reported: usage,
  };
}

/** Thoughts that were told are a fact. Those that came in words are in our own count, too, and are paid once. */
function withCounted(thoughts: number, { tokens, hasReasoning }: Output): number {
  const counted = wholeTokens(tokens);
  return hasReasoning ? Math.max(thoughts, counted) : thoughts + counted;
}

/** What an upstream was given as the beginning of its answer is no input of the client's, but output it has got. */
function withPrefilled(bill: Bill, prefilledTokens: number | undefined): Bill {
  if (prefilledTokens === undefined) return bill;
  // Our own count of the input has no prefill in it.
  const isCounted = bill.estimated && !bill.lacksOutput;
  const input = isCounted ? bill.buckets : lessInput(bill.buckets, prefilledTokens);
  return estimatedBill(bill, { ...input, output: bill.buckets.output + prefilledTokens }, bill.reasoning);
}

/** The same with buckets that nobody reported. */
function estimatedBill({ cost, model, reported }: Bill, buckets: Buckets, reasoning: number): Bill {
  return { buckets, reasoning, cost, estimated: true, model, reported };
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
  for (const { model } of others) {
    const cost = costOf(bill.buckets, model.prices);
    if (cost > bill.cost) continue;
    bill.cost = cost;
    bill.model = model.id;
  }
  return bill;
}

function hasOutput({ request }: Call, { output, usage, finish }: AnswerFacts): boolean {
  if (output.hasContent || output.hasReasoning) return true;
  // At its bound it did what was asked: it thought unseen, or filled its cache. A prompt that left it no room is no answer.
  if (finish !== 'length' || typeof usage !== 'object') return false;
  return usage.buckets.output > 0 || request.maxOutputTokens === 0;
}
