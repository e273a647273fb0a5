// Thinking counts as output. When less output is granted than requested, the thinking budget may be lowered to leave
// tokens for the answer, but not below a minimum.

import { MIN_OUTPUT_TOKENS, MIN_THINKING_TOKENS } from '../kit/tokens.ts';

/** As the client sent them. */
interface RequestedOutput {
  maxOutputTokens: number | undefined;
  thinkingBudget: number | undefined;
}

/**
 * Whether `most` output tokens hold the requested thinking and an answer. In strict mode the thinking budget may not be
 * lowered.
 */
export function fitsThinking(
  { maxOutputTokens = Number.POSITIVE_INFINITY, thinkingBudget }: RequestedOutput,
  most: number,
  isStrict: boolean,
): boolean {
  return thinkingBudget === undefined || most >= Math.min(maxOutputTokens, leastOutput(thinkingBudget, isStrict));
}

/**
 * The lowered thinking budget, or undefined if it may stay: the same share of the granted output as the client
 * requested. `most`: the bound for a client that set none.
 */
export function lowerThinkingBudget(
  { maxOutputTokens, thinkingBudget }: RequestedOutput,
  granted: number,
  most: number,
): number | undefined {
  const isClamped = maxOutputTokens === undefined || granted < maxOutputTokens;
  if (!isClamped || thinkingBudget === undefined || thinkingBudget < granted) return undefined;
  if (granted <= MIN_THINKING_TOKENS) return undefined;
  const part = Math.floor((granted * thinkingBudget) / (maxOutputTokens ?? most));
  return Math.min(Math.max(part, MIN_THINKING_TOKENS), granted - 1);
}

/** The minimum output that holds the thinking and an answer. */
export function leastOutput(thinkingBudget: number | undefined, isStrict: boolean): number {
  if (thinkingBudget === undefined) return MIN_OUTPUT_TOKENS;
  return (isStrict ? thinkingBudget : Math.min(thinkingBudget, MIN_THINKING_TOKENS)) + 1;
}
