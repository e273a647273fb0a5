// Thinking is part of the output. Where less output is granted than was asked for, a thinking budget may be lowered, so that
// there is room for the answer; but not below a least.

import { LEAST_OUTPUT_TOKENS, LEAST_THINKING_TOKENS } from '../kit/tokens.ts';

/** The client's own figures. */
interface AskedOutput {
  maxOutputTokens: number | undefined;
  thinkingBudget: number | undefined;
}

/**
 * Whether an output of so many tokens holds the thinking that was asked for and an answer: strictly all of that thinking,
 * else lowered as far as it may be.
 */
export function hasRoomToThink(
  { maxOutputTokens = Number.POSITIVE_INFINITY, thinkingBudget }: AskedOutput,
  most: number,
  isStrict: boolean,
): boolean {
  return thinkingBudget === undefined || most >= Math.min(maxOutputTokens, leastOutput(thinkingBudget, isStrict));
}

/**
 * What thinking may take of the granted output, when a clamp below the client's own bound left its budget no room: the same
 * part of it as the client meant, so that there is room for the answer. `most`: the bound of a client that named none.
 */
export function lowerThinkingBudget(
  { maxOutputTokens, thinkingBudget }: AskedOutput,
  granted: number,
  most: number,
): number | undefined {
  const isClamped = maxOutputTokens === undefined || granted < maxOutputTokens;
  if (!isClamped || thinkingBudget === undefined || thinkingBudget < granted) return undefined;
  if (granted <= LEAST_THINKING_TOKENS) return undefined;
  const part = Math.floor((granted * thinkingBudget) / (maxOutputTokens ?? most));
  return Math.min(Math.max(part, LEAST_THINKING_TOKENS), granted - 1);
}

/** Fewer output tokens than this leave no room for the thinking and an answer. */
export function leastOutput(thinkingBudget: number | undefined, isStrict: boolean): number {
  if (thinkingBudget === undefined) return LEAST_OUTPUT_TOKENS;
  return (isStrict ? thinkingBudget : Math.min(thinkingBudget, LEAST_THINKING_TOKENS)) + 1;
}
