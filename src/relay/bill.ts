// What an answer costs: reported usage at the pinned price, our own count where the upstream gave none, nothing for an
// answer that holds nothing.

import type { AnswerFacts } from '../dialects/openai-chat/read-answer.ts';
import type { ReportedUsage } from '../dialects/openai-chat/read-usage.ts';
import type { Nano } from '../kit/money.ts';
import { costOf } from '../ledger/cost.ts';
import { NO_BUCKETS } from '../store/rows.ts';
import type { Call } from './call.ts';

export interface Bill extends ReportedUsage {
  cost: Nano;
  estimated: boolean;
}

export const NOTHING_BILLED: Bill = { buckets: NO_BUCKETS, reasoning: 0, cost: 0n, estimated: false };

export function billAnswer(call: Call, facts: AnswerFacts): Bill {
  if (!hasOutput(facts)) return NOTHING_BILLED;
  const reported = typeof facts.usage === 'object' ? facts.usage : undefined;
  const usage = reported ?? countLocally(call, facts);
  return { ...usage, cost: costOf(usage.buckets, call.model.prices), estimated: reported === undefined };
}

/** The client left in the middle: input as reported, else as counted; output as far as it was delivered. */
export function billDelivered(call: Call, facts: AnswerFacts): Bill {
  if (!facts.output.hasContent && !facts.output.hasReasoning) return NOTHING_BILLED;
  const counted = countLocally(call, facts);
  const buckets =
    typeof facts.usage === 'object' ? { ...facts.usage.buckets, output: counted.buckets.output } : counted.buckets;
  return { buckets, reasoning: 0, cost: costOf(buckets, call.model.prices), estimated: true };
}

function countLocally({ request }: Call, { output }: AnswerFacts): ReportedUsage {
  return { buckets: { ...NO_BUCKETS, input: request.input.estimate, output: Math.round(output.tokens) }, reasoning: 0 };
}

function hasOutput({ output, usage, finish }: AnswerFacts): boolean {
  if (output.hasContent || output.hasReasoning) return true;
  return finish === 'length' && typeof usage === 'object' && usage.reasoning > 0;
}
