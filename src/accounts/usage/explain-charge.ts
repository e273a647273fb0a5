// Explains the charge of a request in one sentence per billing rule.

import { formatNtd } from '../../kit/money.ts';
import type { ChargeRule, UsageRecord } from '../../store/rows.ts';

/** Formatted amounts: charged and reserved. */
type ExplainCharge = (charged: string, held: string) => string;

export const CHARGE_EXPLANATIONS: Readonly<Record<ChargeRule, ExplainCharge>> = {
  served: (charged) => `The model answered. Input, reasoning and output are charged: ${charged}.`,
  hung_up: (charged) =>
    `The client closed the connection during the answer. Input, reasoning and the output delivered until then are charged: ${charged}.`,
  stop_matched: (charged) =>
    `A stop sequence of the request ended the answer. Input, reasoning and the output before it are charged: ${charged}.`,
  time_limit: (charged) =>
    `The answer reached the time limit. Input, reasoning and the output delivered until then are charged: ${charged}.`,
  output_limit: (charged) =>
    `The output limit of the request ended the answer. Input, reasoning and output are charged: ${charged}.`,
  resumed: (charged) =>
    `The stream broke and another attempt continued it. The whole answer is charged once: ${charged}.`,
  empty_answer: () => 'The answer had no output. Nothing is charged.',
  upstream_failed: () => 'The upstream failed. Nothing is charged.',
  gateway_failed: () => 'The gateway failed or was shut down. Nothing is charged.',
  not_delivered: () => 'The client closed the connection before anything was delivered. Nothing is charged.',
  above_hold: (charged, held) =>
    `The upstream reported more than the ${held} that was reserved. ${charged} is charged, the rest is not.`,
  loss_guard: (charged, held) =>
    `This account has used up its requests without a charge for today. What exceeds them is charged as reported, up to the ${held} that was reserved: ${charged}.`,
  free_model: () => 'The model is free. Nothing is charged.',
};

/** Null for records older than the rules. */
export function explainCharge({ rule, cost, held }: Pick<UsageRecord, 'rule' | 'cost' | 'held'>): string | null {
  return rule && CHARGE_EXPLANATIONS[rule](`NT$${formatNtd(cost)}`, `NT$${formatNtd(held)}`);
}
