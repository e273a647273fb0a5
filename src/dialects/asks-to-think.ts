// Whether a request asks the model to think before it answers, in the words of any of the chat formats, and in those that
// OpenRouter has in a chat.

import { isObject, type JsonObject } from '../kit/json/json.ts';

export function asksToThink(body: JsonObject): boolean {
  const thinking = isObject(body.thinking) ? body.thinking : {};
  if (thinking.type === 'enabled' || thinking.type === 'adaptive') return true;
  const reasoning = isObject(body.reasoning) ? body.reasoning : {};
  const effort = body.reasoning_effort ?? (reasoning.enabled === false ? undefined : reasoning.effort);
  if (typeof effort === 'string') return effort !== 'none';
  return reasoning.enabled === true || (reasoning.enabled !== false && Number(reasoning.max_tokens) > 0);
}
