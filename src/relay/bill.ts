// The cost of an answer: reported usage at the pinned price, our own count where the upstream gave none. The rules are those of
// docs/billing.md. An answer of several runs is one answer.

import { checkReportOfEnded } from '../dialects/counts.ts';
import type { AnswerFacts } from '../dialects/dialect.ts';
import { type Buckets, type ChargeRule, NO_BUCKETS } from '../store/rows.ts';
import type { Call } from './call.ts';
import { chargedOutput, notCharged, priced, TOKENIZER_MARGIN, withOutput, withPrefilled } from './charge-part.ts';
import { type Bill, measure, usedBy, withReasoning } from './measure.ts';
import type { ChosenRoute } from './plan.ts';
import { lastOf, type Runs } from './runs.ts';

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
    tiers: { sent: undefined, reported: undefined },
    chargedTier: null,
    chargedCalls: null,
  };
}

/** An answer without output is free; its tokens are shown as they were used. */
export function billAnswer(call: Call, step: ChosenRoute, facts: AnswerFacts, mayHide: boolean): Bill {
  const { model } = step;
  const { output, tokensAfterStop } = facts;
  const seen = output.tokens + (tokensAfterStop ?? 0);
  const plain = Math.min(output.tokens, facts.plainTokens ?? output.tokens);
  const usage = tokensAfterStop === undefined ? facts.usage : checkReportOfEnded(facts.usage, plain);
  const used = measure(call, step, usage === facts.usage ? facts : { ...facts, usage });
  if (!hasOutput(call, facts)) return notCharged(used, 'empty_answer');
  if (tokensAfterStop === undefined) return priced(used, model);
  const delivered = usage !== facts.usage ? plain : output.tokens;
  const tokenizerMargin = mayHide ? TOKENIZER_MARGIN : undefined;
  const charged = chargedOutput(used, { produced: seen, delivered, tokenizerMargin }, facts);
  return priced(withOutput(used, { output: charged, rule: 'stop_matched' }), model);
}

/** The client left before a whole answer came: it pays for input and reasoning. */
export function billUnsent(call: Call, step: ChosenRoute, facts: AnswerFacts): Bill {
  const used = measure(call, step, facts);
  if (!hasOutput(call, facts)) return notCharged(used, 'empty_answer');
  const output = Math.min(used.buckets.output, withReasoning(used.reasoning, 0, facts.output));
  return priced(withOutput(used, { output, images: 0, rule: 'hung_up' }), step.model);
}

/** The last run is billed. If it continued by prefill, it is billed as if it had produced the whole answer. */
export function billStream(call: Call, runs: Runs): Bill {
  const last = lastOf(runs);
  const { step, reader, prefilledTokens } = last;
  const facts = reader.facts();
  const measured = measure(call, step, facts);
  // The customer does not pay for it: the loss includes hidden reasoning.
  const used = step.model.free ? { ...measured, buckets: usedBy(call, last).buckets } : measured;
  if (prefilledTokens === undefined && !hasOutput(call, facts)) return notCharged(used, 'empty_answer');
  const bill = withPrefilled(used, prefilledTokens);
  if (runs.length > 1) bill.rule = 'resumed';
  return priced(bill, runs[0].step.model, runs.slice(1));
}

/** The upstream sent more output than its bound: only the bound is charged. */
export function billAtBound(call: Call, runs: Runs, bound: number): Bill {
  const { step, reader, prefilledTokens } = lastOf(runs);
  const used = withPrefilled(measure(call, step, reader.facts()), prefilledTokens);
  const bill = withOutput(
    { ...used, estimated: true },
    { output: Math.min(bound, used.buckets.output), rule: 'output_limit' },
  );
  return priced(bill, runs[0].step.model, runs.slice(1));
}

/** Whether an answer is charged. One without visible output is, if the request itself ended it or reasoning was reported. */
function hasOutput({ request }: Call, { output, usage, finish }: AnswerFacts): boolean {
  if (output.hasContent || output.hasReasoning) return true;
  if (typeof usage !== 'object') return false;
  if (usage.reasoning > 0) return true;
  switch (finish) {
    case 'length':
      // No output: the prompt filled the context. A bound of 0 only fills the cache.
      return usage.buckets.output > 0 || request.maxOutputTokens === 0;
    case 'stop_sequence':
      return true;
    case 'end':
      return request.hasStops;
    case 'other':
      return false;
  }
}
