// The bill of an answer that the client ended before the model did.

import type { Model } from '../catalog/catalog.ts';
import { checkReportOfEnded } from '../dialects/counts.ts';
import type { Sent, StreamFacts } from '../dialects/dialect.ts';
import { estimateAt } from '../dialects/input/estimated-input.ts';
import { wholeTokens } from '../kit/tokens.ts';
import { type ChargeRule, NO_BUCKETS } from '../store/rows.ts';
import type { Call } from './call.ts';
import { chargedOutput, priced, TOKENIZER_MARGIN, withOutput, withPrefilled } from './charge-part.ts';
import { type Bill, measure, mediaTokensOf, withReasoning } from './measure.ts';
import { lastOf, type Runs } from './runs.ts';

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
