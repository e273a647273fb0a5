// Lowers a thinking budget that counts inside the output bound, as at OpenRouter and Claude, below that bound, so that
// tokens are left for an answer.

import { isObject, type Json, type JsonObject } from '../kit/json/json.ts';

export interface LoweredThinking {
  edits: Readonly<Record<string, Json>> | undefined;
  /** Fields of the client that are lowered. */
  lowered: readonly string[];
}

/** Undefined if nothing is lowered. */
export function lowerThinking(
  outer: string,
  inner: string,
  body: JsonObject,
  bound: number,
): LoweredThinking | undefined {
  const setting = body[outer];
  const asked = isObject(setting) ? setting[inner] : undefined;
  if (!isObject(setting) || typeof asked !== 'number' || asked < bound) return undefined;
  return { edits: { [outer]: { ...setting, [inner]: Math.max(1, bound - 1) } }, lowered: [`${outer}.${inner}`] };
}
