// Converts between an effort and a number of thinking tokens, and between the efforts that models accept.

import { EFFORTS } from '../../vendors/openai.ts';
import type { UpstreamFields } from '../dialect.ts';
import type { RequestedReasoning } from './conversation.ts';

const STEPS: readonly (readonly [effort: string, below: number, budget: number])[] = [
  ['low', 2_000, 1_024],
  ['medium', 8_000, 4_096],
  ['high', 24_000, 16_384],
  ['xhigh', 64_000, 32_768],
];
const MAX_BUDGET = 65_536;

/** No budget becomes `max`: a number is a limit, and `max` means none. */
export function effortOf(budget: number): string {
  return STEPS.find(([, below]) => budget < below)?.[0] ?? 'xhigh';
}

/** The effort to send, of those that the model accepts, lowest first; undefined: the model decides. */
export function effortFor({ isOff, effort, budget }: RequestedReasoning, taken: readonly string[]): string | undefined {
  if (isOff) return nearest('none', taken);
  const word = effort ?? (budget === undefined ? undefined : effortOf(budget));
  return word === undefined ? undefined : nearest(word, taken);
}

/** The effort itself, else the next higher one, else the highest; `max` only if requested. Unknown efforts pass. */
function nearest(word: string, taken: readonly string[]): string | undefined {
  const requested = EFFORTS.indexOf(word);
  if (requested < 0) return word;
  const bounded = word === 'max' ? taken : taken.filter((one) => one !== 'max');
  return bounded.find((one) => EFFORTS.indexOf(one) >= requested) ?? bounded.at(-1);
}

/** Without an effort: as much as models think by default. */
export function budgetOf(effort: string | undefined): number {
  if (effort === 'max') return MAX_BUDGET;
  const found = STEPS.find(([word]) => word === (effort ?? 'high')) ?? (effort === 'minimal' ? STEPS[0] : STEPS[2]);
  return found?.[2] ?? MAX_BUDGET;
}

/** The share of the output bound for thinking if the client named no number: the rest is for the answer. */
const THINKING_SHARE = 0.75;

/** A client's own number is kept as long as it leaves one token; an effort leaves tokens for an answer. */
export function boundedBudget(
  { effort, budget }: Pick<RequestedReasoning, 'effort' | 'budget'>,
  { thinkingBudget, maxOutputTokens }: Pick<UpstreamFields, 'thinkingBudget' | 'maxOutputTokens'>,
): number {
  const own = thinkingBudget ?? budget;
  if (own !== undefined) return Math.min(own, maxOutputTokens - 1);
  return Math.min(budgetOf(effort), Math.floor(maxOutputTokens * THINKING_SHARE));
}
