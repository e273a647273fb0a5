// What an answer costs: reported usage at the pinned price, our own count where the upstream gave none, nothing for an
// answer that holds nothing. An answer of several runs is one answer.

import type { Model } from '../catalog/catalog.ts';
import type { AnswerFacts, ReportedUsage, StreamReader, UsageReport } from '../dialects/dialect.ts';
import { minNano, type Nano } from '../kit/money.ts';
import { costOf } from '../ledger/cost.ts';
import { NO_BUCKETS } from '../store/rows.ts';
import type { Call } from './call.ts';

export interface Bill extends ReportedUsage {
  cost: Nano;
  estimated: boolean;
  /** The model whose price is charged. */
  model: string;
  reported: UsageReport;
}

/** One upstream's part in a stream; `prefilledTokens` is what it was given as the beginning of its answer. */
export interface Run {
  model: Model;
  reader: StreamReader;
  prefilledTokens: number;
}

export function billAnswer(call: Call, model: Model, facts: AnswerFacts): Bill {
  const { usage: reported } = facts;
  if (!hasOutput(facts)) return { ...nothingBilled(model.id), reported };
  const isReported = typeof reported === 'object';
  const usage = isReported ? withImages(reported, facts) : countLocally(call, facts);
  // Images are counted exactly; only tokens are ever a guess.
  const isGuess = !isReported && (facts.output.images === 0 || model.prices.output > 0n);
  return { ...usage, cost: costOf(usage.buckets, model.prices), estimated: isGuess, model: model.id, reported };
}

export function nothingBilled(model: string): Bill {
  return { buckets: NO_BUCKETS, reasoning: 0, cost: 0n, estimated: false, model, reported: 'absent' };
}

/** A fresh run's own usage is the bill. A run that continued by prefill is billed less what it was given, plus that text. */
export function billStream(call: Call, runs: readonly Run[]): Bill {
  const last = runs.at(-1);
  const first = runs[0];
  if (!last || !first) return nothingBilled(call.model.id);
  const bill = billAnswer(call, last.model, last.reader.facts());
  const continued = last.prefilledTokens > 0 ? withPrefilled(bill, last) : bill;
  return cheapest(continued, first.model, last.model);
}

/** The client left in the middle: input as reported, else as counted; output as far as it was delivered. */
export function billDelivered(call: Call, runs: readonly Run[]): Bill {
  const last = runs.at(-1);
  const first = runs[0];
  const facts = last?.reader.facts();
  if (!last || !first || !facts || (!facts.output.hasContent && !facts.output.hasReasoning)) {
    return nothingBilled(call.model.id);
  }
  const counted = countLocally(call, facts).buckets;
  const reported = typeof facts.usage === 'object' ? facts.usage.buckets : counted;
  const buckets = { ...reported, output: counted.output };
  const bill = {
    buckets,
    reasoning: 0,
    cost: costOf(buckets, last.model.prices),
    estimated: true,
    model: last.model.id,
    reported: facts.usage,
  };
  return cheapest(last.prefilledTokens > 0 ? withPrefilled(bill, last) : bill, first.model, last.model);
}

function withPrefilled(bill: Bill, { prefilledTokens, model }: Run): Bill {
  const buckets = {
    ...bill.buckets,
    input: Math.max(0, bill.buckets.input - prefilledTokens),
    output: bill.buckets.output + prefilledTokens,
  };
  return { ...bill, buckets, cost: costOf(buckets, model.prices), estimated: true };
}

/** Begun by one model and continued by another: the lower of the two prices is charged. */
function cheapest(bill: Bill, first: Model, last: Model): Bill {
  const cost = minNano(bill.cost, costOf(bill.buckets, first.prices));
  return cost < bill.cost ? { ...bill, cost, model: first.id } : { ...bill, model: last.id };
}

function countLocally({ request }: Call, { output }: AnswerFacts): ReportedUsage {
  return {
    buckets: { ...NO_BUCKETS, input: request.input.estimate, output: Math.round(output.tokens), images: output.images },
    reasoning: 0,
  };
}

/** Images are billed by what was returned, whatever the upstream says it used. */
function withImages(usage: ReportedUsage, { output }: AnswerFacts): ReportedUsage {
  return output.images === 0 ? usage : { ...usage, buckets: { ...usage.buckets, images: output.images } };
}

function hasOutput({ output, usage, finish }: AnswerFacts): boolean {
  if (output.hasContent || output.hasReasoning) return true;
  return finish === 'length' && typeof usage === 'object' && usage.reasoning > 0;
}
