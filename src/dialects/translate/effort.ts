// Between the two forms of saying how much a model shall think, a word or a number of tokens, and between the words that
// models take.

import { EFFORTS } from '../../vendors/openai.ts';
import type { UpstreamFields } from '../dialect.ts';
import type { ReasoningWish } from './conversation.ts';

const STEPS: readonly (readonly [effort: string, below: number, budget: number])[] = [
  ['low', 2_000, 1_024],
  ['medium', 8_000, 4_096],
  ['high', 24_000, 16_384],
  ['xhigh', 64_000, 32_768],
];
const MAX_BUDGET = 65_536;

/** No budget is called `max`: a number is a bound, and that word is none. */
export function effortOf(budget: number): string {
  return STEPS.find(([, below]) => budget < below)?.[0] ?? 'xhigh';
}

/** The word for a wish, of those that a model takes, from the least; undefined: as it likes. */
export function effortFor({ isOff, effort, budget }: ReasoningWish, taken: readonly string[]): string | undefined {
  if (isOff) return nearest('none', taken);
  const word = effort ?? (budget === undefined ? undefined : effortOf(budget));
  return word === undefined ? undefined : nearest(word, taken);
}

/** If not the word itself, the next above it, else the highest; `max` only for who said so. A word unknown here passes. */
function nearest(word: string, taken: readonly string[]): string | undefined {
  const wished = EFFORTS.indexOf(word);
  if (wished < 0) return word;
  const bounded = word === 'max' ? taken : taken.filter((one) => one !== 'max');
  return bounded.find((one) => EFFORTS.indexOf(one) >= wished) ?? bounded.at(-1);
}

/** Without a word: as much as models think by themselves. */
export function budgetOf(effort: string | undefined): number {
  if (effort === 'max') return MAX_BUDGET;
  const found = STEPS.find(([word]) => word === (effort ?? 'high')) ?? (effort === 'minimal' ? STEPS[0] : STEPS[2]);
  return found?.[2] ?? MAX_BUDGET;
}

/** Of an output bound, what thinking may take at most when the client named no number: the rest is for the answer. */
const THINKING_SHARE = 0.75;

/** A client's own number is its own business, as long as it leaves one token; a word leaves tokens for an answer. */
export function boundedBudget(
  { effort, budget }: Pick<ReasoningWish, 'effort' | 'budget'>,
  { thinkingBudget, maxOutputTokens }: Pick<UpstreamFields, 'thinkingBudget' | 'maxOutputTokens'>,
): number {
  const own = thinkingBudget ?? budget;
  if (own !== undefined) return Math.min(own, maxOutputTokens - 1);
  return Math.min(budgetOf(effort), Math.floor(maxOutputTokens * THINKING_SHARE));
}
