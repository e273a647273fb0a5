// Settings that choose another model, provider or price than the one that is billed. They are ours as `model` is: where
// the client's own text goes through, they stay behind, and are told.

import type { Json, JsonObject } from '../../kit/json/json.ts';
import { isEmptySetting } from '../fields.ts';

const FIELDS = [
  ...(['models', 'route', 'preset', 'provider', 'plugins', 'fallbacks'] as const),
  ...(['speed', 'service_tier', 'inference_geo'] as const),
];

/** OpenAI's words for what never costs more than the standard tier. */
export const PLAIN_TIERS: ReadonlySet<Json> = new Set(['auto', 'default', 'flex']);

/** By the client's own names, in the order of the list. */
export function pricedFields(body: JsonObject): readonly string[] {
  let names = NONE;
  for (const name of FIELDS) if (isPriced(name, body[name])) names = [...names, name];
  return names;
}

const NONE: readonly string[] = [];

/** The edits of a body, and these fields left out of it. */
export function withoutPriced(body: JsonObject, edits: Edits): Edits {
  for (const name of FIELDS) if (isPriced(name, body[name])) edits[name] = undefined;
  return edits;
}

type Edits = Record<string, Json | undefined>;

/** Some of them have words for what costs no more than usual. */
function isPriced(name: (typeof FIELDS)[number], value: Json | undefined): boolean {
  if (!saysSomething(value)) return false;
  switch (name) {
    case 'speed':
      return value !== 'standard';
    case 'service_tier':
      return value !== 'standard_only' && !PLAIN_TIERS.has(value);
    case 'inference_geo':
      return value !== 'global';
    default:
      return true;
  }
}

export function saysSomething(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && !isEmptySetting(value);
}
