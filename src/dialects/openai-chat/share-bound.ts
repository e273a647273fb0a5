// Thinking with a separate bound in a chat. The hold is for one output bound, so thinking and answer share it.

import type { Json, JsonObject } from '../../kit/json/json.ts';
import type { DefaultThinking } from '../../vendors/qwen.ts';
import { type LoweredThinking, lowerThinking } from '../lower-thinking.ts';

interface SharedBound extends LoweredThinking {
  /** Tokens left for the answer, or for all output where thinking is part of it. */
  answer: number;
}

/** `unasked`: whether the model thinks beside its answer without being asked. */
export function shareBound(body: JsonObject, bound: number, unasked?: DefaultThinking): SharedBound {
  const { thinking_budget: budget, enable_thinking: isEnabled, reasoning, thinking } = body;
  const isPlain = budget === undefined && isEnabled === undefined && reasoning === undefined && thinking === undefined;
  // Most requests have none of them.
  if (isPlain && !unasked) return { answer: bound, edits: undefined, lowered: NOTHING };
  const inside = [
    lowerThinking('reasoning', 'max_tokens', body, bound),
    lowerThinking('thinking', 'budget_tokens', body, bound),
  ];
  const thinks = isEnabled === true || unasked === 'always' || (unasked !== undefined && isEnabled !== false);
  const beside = typeof budget === 'number' || thinks ? besideAnswer(budget, bound) : undefined;
  return {
    answer: beside?.answer ?? bound,
    edits: Object.assign({}, beside?.edits, ...inside.map((one) => one?.edits)),
    lowered: [beside, ...inside].flatMap((one) => one?.lowered ?? NOTHING),
  };
}

/**
 * Qwen bounds thinking by `thinking_budget`, and by nothing if that is left out; `max_tokens` bounds the answer after it.
 * Thinking gets half of the output bound at most.
 */
function besideAnswer(asked: Json | undefined, bound: number): SharedBound {
  const most = Math.floor(bound / 2);
  const isLowered = typeof asked === 'number' && asked > most;
  const budget = typeof asked === 'number' && !isLowered ? asked : most;
  return {
    answer: bound - budget,
    edits: budget === asked ? undefined : { thinking_budget: budget },
    lowered: isLowered ? ['thinking_budget'] : NOTHING,
  };
}

const NOTHING: readonly string[] = [];
