// Thinking that a chat bounds by a field of its own. The hold is for one output bound, so thinking and answer share it.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

export interface SharedBound {
  /** What is left for the answer, or for all output where thinking is part of it. */
  answer: number;
  edits: Readonly<Record<string, Json>> | undefined;
  /** Fields of the client that are lowered. */
  lowered: readonly string[];
}

export function shareBound(body: JsonObject, bound: number): SharedBound {
  const { thinking_budget: budget, enable_thinking: isEnabled, reasoning } = body;
  // Most requests have none of them.
  if (budget === undefined && isEnabled === undefined && reasoning === undefined) return whole(bound);
  if (typeof budget === 'number' || isEnabled === true) return besideAnswer(budget, bound);
  return isObject(reasoning) ? insideAnswer(reasoning, bound) : whole(bound);
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

/** OpenRouter counts reasoning inside `max_tokens`, and wants room for an answer beside it. */
function insideAnswer(reasoning: JsonObject, bound: number): SharedBound {
  const { max_tokens: asked } = reasoning;
  if (typeof asked !== 'number' || asked < bound) return whole(bound);
  const edits = { reasoning: { ...reasoning, max_tokens: Math.max(1, bound - 1) } };
  return { answer: bound, edits, lowered: ['reasoning.max_tokens'] };
}

function whole(bound: number): SharedBound {
  return { answer: bound, edits: undefined, lowered: NOTHING };
}

const NOTHING: readonly string[] = [];
