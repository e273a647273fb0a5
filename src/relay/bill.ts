// The cost of an answer: reported usage at the pinned price, our own count where the upstream gave none. The rules are those of
// docs/billing.md. An answer of several runs is one answer.

import type { Model } from '../catalog/catalog.ts';
import { checkReportOfEnded } from '../dialects/counts.ts';
import type { AnswerFacts, Sent, StreamFacts } from '../dialects/dialect.ts';
import { estimateAt } from '../dialects/input/estimated-input.ts';
import { wholeTokens } from '../kit/tokens.ts';
import { type Buckets, type ChargeRule, NO_BUCKETS } from '../store/rows.ts';
import { lastOf, type Runs } from './begun.ts';
import type { Call } from './call.ts';
import { chargedOutput, notCharged, priced, TOKENIZER_MARGIN, withOutput, withPrefilled } from './charge-part.ts';
import { type Bill, measure, mediaTokensOf, usedBy, withReasoning } from './measure.ts';
import type { ChosenRoute } from './plan.ts';

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

/** Reasoning of the last run that its upstream does not show. */
export interface UnseenReasoning {
  isPossible: boolean;
  /** Its tokens, where no report says how many there were. */
  estimate: number;
}

/** How the client ended an answer: by hanging up, a stop sequence, the hour or the output bound. */
interface Ended {
  rule: ChargeRule;
  delivered: Readonly<Sent>;
  /** Tokens of the text that was sent, by the careful count. */
  plainTokens: number;
  unseen: UnseenReasoning;
  /** The output tokens that were held for each choice or image. */
  bound: number;
  /** The gateway did not read the usage report. */
  isUnread: boolean;
}

/**
 * The customer ended the answer, and pays for input, reasoning and delivered output: as reported, minus the output that was not
 * delivered; without a report, as counted here, with an estimate of the reasoning.
 */
export function billEnded(call: Call, runs: Runs, ended: Ended): Bill {
  const { step, reader, prefilledTokens } = lastOf(runs);
  const facts = reader.facts();
  const { delivered, unseen, rule, bound } = ended;
  const said = facts.output.tokens + (facts.tokensAfterStop ?? 0);
  // A report is of the last run alone.
  const plain = Math.min(delivered.tokens, ended.plainTokens);
  const ownPlain = Math.min(said, plain - (prefilledTokens ?? 0));
  const usage = facts.finished ? checkReportOfEnded(facts.usage, ownPlain) : facts.usage;
  const measured = measure(call, step, { ...facts, usage });
  const used = withPrefilled(measured, prefilledTokens);
  const produced = said + (prefilledTokens ?? 0);
  const got = (usage !== facts.usage ? plain : delivered.tokens) + (facts.unshownTokens ?? 0);
  const { images } = delivered;
  // Those that were read and not delivered are taken off the bill below.
  const unread = call.request.images - Math.max(images, used.buckets.images);
  if (unread > 0) used.uncovered = { ...NO_BUCKETS, images: unread };
  const models = [runs[0].step.model, runs.slice(1)] as const;
  if (facts.finished && !measured.estimated) {
    const tokenizerMargin = unseen.isPossible ? TOKENIZER_MARGIN : delivered.hasMedia ? 1 : undefined;
    const seen = { produced, delivered: got, tokenizerMargin };
    const output = images > 0 ? tokensOfImages(used, facts, images) : chargedOutput(used, seen, facts);
    return priced(withOutput(used, { output, images, rule }), ...models);
  }
  const imageTokens = images > 0 && step.model.prices.output > 0n ? bound * images : 0;
  const media = delivered.hasMedia ? wholeTokens(mediaTokensOf(call.request, step.model, facts.output)) : 0;
  const outputOf = (tokens: number) =>
    withReasoning(Math.max(unseen.estimate, measured.reasoning), tokens, facts.output) + imageTokens + media;
  const estimated: Bill = {
    ...used,
    buckets: { ...used.buckets, output: outputOf(produced) },
    reasoning: 0,
    estimated: true,
    lacksOutput: undefined,
    isRestated: undefined,
  };
  const bill = withOutput(estimated, { output: outputOf(got), images, rule });
  return priced(ended.isUnread ? withoutUnread(call, step.model, bill) : bill, ...models);
}

/** If only the gateway missed the report, open input is charged by its estimate: the rest of the context is a loss. */
function withoutUnread({ request }: Call, { routes }: Model, bill: Bill): Bill {
  if (!request.input.isOpen || typeof bill.reported === 'object') return bill;
  const input = Math.min(bill.buckets.input, estimateAt(request.input, routes[0]?.model ?? ''));
  const rest = bill.buckets.input - input;
  return { ...bill, buckets: { ...bill.buckets, input }, uncovered: { ...bill.uncovered, input: rest } };
}

function tokensOfImages({ buckets }: Bill, { output }: StreamFacts, images: number): number {
  return Math.ceil(buckets.output * Math.min(1, images / Math.max(1, output.images)));
}
