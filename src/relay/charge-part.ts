// The part of an answer's usage that is charged. The operator pays for the rest.

import type { Model } from '../catalog/catalog.ts';
import type { AnswerFacts } from '../dialects/dialect.ts';
import { chargedTier } from '../kit/prices.ts';
import { costOf, pricedCalls } from '../ledger/cost.ts';
import { type Buckets, type ChargeRule, NO_BUCKETS } from '../store/rows.ts';
import type { Run } from './begun.ts';
import { type Bill, withReasoning } from './measure.ts';

interface SeenOutput {
  /** Tokens of visible output that the upstream produced, and those of them that were delivered, by our own count. */
  produced: number;
  delivered: number;
  /** Set if the upstream may have counted hidden output: how many of its tokens are one of ours. */
  tokenizerMargin: number | undefined;
}

/** Above that of most tokenizers, so that visible output is not taken for reasoning where a tokenizer counts more. */
export const TOKENIZER_MARGIN = 1.3;

/** The part of the reported output that the customer pays: reasoning and delivered text. */
export function chargedOutput(
  { buckets, reasoning }: Bill,
  { produced, delivered, tokenizerMargin: margin }: SeenOutput,
  facts: AnswerFacts,
) {
  const reported = buckets.output;
  const rest = produced - delivered;
  // Less than a token is rounding.
  if (rest < 1) return reported;
  const reasoned = withReasoning(reasoning, delivered, facts.output);
  const withoutRest = margin === undefined ? 0 : reported - Math.ceil(rest * margin);
  return Math.min(reported, Math.max(reasoned, withoutRest));
}

interface Charged {
  output: number;
  images?: number;
  rule: ChargeRule;
}

/** The same with only a part of its output charged. */
export function withOutput(bill: Bill, { output, images = bill.buckets.images, rule }: Charged): Bill {
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

export function notCharged(bill: Bill, rule: ChargeRule): Bill {
  return { ...bill, rule, uncovered: bill.buckets };
}

/** Prefilled text is not input of the client, but output that it already has. */
export function withPrefilled(bill: Bill, prefilledTokens: number | undefined): Bill {
  if (prefilledTokens === undefined) return bill;
  // Our own count of the input does not include the prefill.
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

/** If one model began the answer and another continued it, the lower price is charged; of equals, the last one's. */
export function priced(bill: Bill, first: Model, others: readonly Run[] = NO_RUNS): Bill {
  charge(bill, first);
  for (const { step } of others) {
    const { cost, model, chargedTier, chargedCalls } = bill;
    charge(bill, step.model);
    if (bill.cost > cost) Object.assign(bill, { cost, model, chargedTier, chargedCalls });
  }
  return bill;
}

function charge(bill: Bill, { id, prices }: Model): void {
  bill.model = id;
  bill.chargedTier = chargedTier(prices, bill.tiers);
  bill.chargedCalls = pricedCalls(bill.toolCalls, prices);
  bill.cost = costOf(bill.buckets, prices, bill.chargedTier, bill.chargedCalls);
}
