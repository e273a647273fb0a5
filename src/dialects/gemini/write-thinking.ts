// How much a model shall think: by its generation as a word, as a bound in tokens, or not at all.

import type { JsonObject } from '../../kit/json/json.ts';
import type { Thinking } from '../../vendors/gemini.ts';
import type { UpstreamFields } from '../dialect.ts';
import type { Conversation } from '../translate/conversation.ts';
import { boundedBudget, effortFor } from '../translate/effort.ts';

export interface ThinkingPlan {
  dropped: readonly string[];
  /** For `thinkingConfig`. */
  config(fields: UpstreamFields): JsonObject | undefined;
}

export function planThinking(
  { reasoning: wish, showsThoughts }: Pick<Conversation, 'reasoning' | 'showsThoughts'>,
  thinking: Thinking,
): ThinkingPlan {
  if (!wish) {
    const shown = showsThoughts && thinking.by !== 'nothing' ? { includeThoughts: true } : undefined;
    return { dropped: [], config: () => shown };
  }
  const isOff = wish.isOff || wish.effort === 'none';
  if (thinking.by === 'nothing') return { dropped: isOff ? [] : [wish.name], config: () => undefined };
  const shown = isOff ? {} : { includeThoughts: true };
  if (thinking.by === 'level') {
    const level = effortFor(wish, thinking.levels);
    return { dropped: [], config: () => ({ ...(level === undefined ? {} : { thinkingLevel: level }), ...shown }) };
  }
  const { least, most, canStop } = thinking;
  const off = canStop ? 0 : least;
  const bounded = (fields: UpstreamFields) => Math.min(most, Math.max(least, boundedBudget(wish, fields)));
  const isLowered = !isOff && (wish.budget ?? 0) > most;
  return {
    dropped: isLowered ? ['thinking.budget_tokens'] : [],
    config: (fields) => ({ thinkingBudget: isOff ? off : bounded(fields), ...shown }),
  };
}
