// Whether a request asks the model to think before it answers, in the words of any of the chat formats.

import { isObject, type JsonObject } from '../kit/json/json.ts';

export function asksToThink(body: JsonObject): boolean {
  const { thinking, reasoning } = body;
  if (isObject(thinking) && (thinking.type === 'enabled' || thinking.type === 'adaptive')) return true;
  const effort = body.reasoning_effort ?? (isObject(reasoning) ? reasoning.effort : undefined);
  return typeof effort === 'string' && effort !== 'none';
}
