// Settings that choose another model, provider or price than the one that is billed. They are ours as `model` is: where
// the client's own text goes through, they stay behind, and are told.

import type { Json, JsonObject } from '../../kit/json/json.ts';
import { isEmptySetting } from '../fields.ts';

const CHOOSING = ['models', 'route', 'preset', 'provider', 'plugins', 'fallbacks'] as const;

/** OpenAI's words for what never costs more than the standard tier. */
export const PLAIN_TIERS: ReadonlySet<Json> = new Set(['auto', 'default', 'flex']);

/** By the client's own names, in the order of the list. */
export function pricedFields(body: JsonObject): readonly string[] {
  const names: string[] = [];
  for (const name of CHOOSING) if (saysSomething(body[name])) names.push(name);
  const { speed, service_tier: tier, inference_geo: place } = body;
  if (saysSomething(speed) && speed !== 'standard') names.push('speed');
  if (saysSomething(tier) && tier !== 'standard_only' && !PLAIN_TIERS.has(tier)) names.push('service_tier');
  if (saysSomething(place) && place !== 'global') names.push('inference_geo');
  return names;
}

/** The edits of a body, and these fields left out of it. */
export function withoutPriced(body: JsonObject, edits: Edits): Edits {
  for (const name of pricedFields(body)) edits[name] = undefined;
  return edits;
}

type Edits = Record<string, Json | undefined>;

export function saysSomething(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && !isEmptySetting(value);
}
