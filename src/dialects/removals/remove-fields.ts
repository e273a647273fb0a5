// Top-level fields of a body that do not reach an upstream of the same format. There is one pass over the names. Most of
// them are known by their exact name; only the others are folded.

import type { Json, JsonObject } from '../../kit/json/json.ts';
import type { Dialect } from '../dialect.ts';
import { foldName } from './fold-name.ts';
import { FREE_FIELDS } from './free-fields.ts';
import { isHarmless, PRICED_FIELDS, type PricedField } from './priced-fields.ts';
import { isAsked } from './removals.ts';

export interface RemovedFields {
  /** All that are removed. */
  removed: readonly string[];
  /** The first of those that are reported to the client. */
  named: readonly string[];
}

const NONE: RemovedFields = { removed: [], named: [] };
/** As many as the header reports. */
const MAX_NAMED = 50;

export interface FieldRules {
  /** The model costs nothing. */
  isFree: boolean;
  /** The service tiers that its price lists. */
  serviceTiers?: ListedTiers;
}

/** By name. */
export type ListedTiers = { has(tier: string): boolean } | undefined;

export function removeFields(body: JsonObject, endpoint: Dialect['endpoint'], rules: FieldRules): RemovedFields {
  const known = KNOWN[endpoint];
  let removed: string[] | undefined;
  let named: string[] | undefined;
  for (const name in body) {
    const field = known.get(name);
    const isVariant = !field && isVariantName(name);
    if (!isVariant && !isBarred(field, rules, body, name)) continue;
    removed ??= [];
    removed.push(name);
    if (!isVariant && !isAsked(body[name])) continue;
    named ??= [];
    if (named.length < MAX_NAMED) named.push(name);
  }
  return removed ? { removed, named: named ?? NONE.named } : NONE;
}

/** Reads the value of few fields, because reading decodes a long text. */
function isBarred(field: KnownField | undefined, rules: FieldRules, body: JsonObject, name: string): boolean {
  if (field?.priced?.rule !== 'dropped') return rules.isFree && !field?.isFreeField;
  if (isHarmless(field.priced, body[name])) return false;
  return name !== 'service_tier' || !isListedTier(body[name], rules.serviceTiers);
}

/** A tier with a price. */
export function isListedTier(tier: Json | undefined, listed: ListedTiers): boolean {
  return typeof tier === 'string' && listed?.has(tier) === true;
}

type Edits = Record<string, Json | undefined>;

/** The edits of a body, and these fields removed from it. */
export function withoutFields(edits: Edits, removed: readonly string[] = NONE.removed): Edits {
  if (removed.length === 0) return edits;
  // A name may be `__proto__`, which must not set a prototype.
  const all: Edits = Object.assign(Object.create(null), edits);
  for (const name of removed) all[name] = undefined;
  return all;
}

interface KnownField {
  priced: PricedField | undefined;
  isFreeField: boolean;
}

function knownOf(endpoint: Dialect['endpoint']): ReadonlyMap<string, KnownField> {
  const fields = PRICED_FIELDS.filter((field) => field.in === undefined || field.in.includes(endpoint));
  const priced = new Map(fields.map((field) => [field.name, field]));
  const free = new Set(FREE_FIELDS[endpoint]);
  const names = [...priced.keys(), ...free];
  return new Map(names.map((name) => [name, { priced: priced.get(name), isFreeField: free.has(name) }]));
}

const KNOWN: Record<Dialect['endpoint'], ReadonlyMap<string, KnownField>> = {
  chat: knownOf('chat'),
  responses: knownOf('responses'),
  messages: knownOf('messages'),
  embeddings: knownOf('embeddings'),
  images: knownOf('images'),
  image_edits: knownOf('image_edits'),
  image_variations: knownOf('image_variations'),
  speech: knownOf('speech'),
  transcription: knownOf('transcription'),
  audio_translation: knownOf('audio_translation'),
  rerank: knownOf('rerank'),
  moderation: knownOf('moderation'),
  gemini: knownOf('gemini'),
};

const NAMES: ReadonlySet<string> = new Set(PRICED_FIELDS.map(({ name }) => name));
const FOLDED: ReadonlySet<string> = new Set([...NAMES].map(foldName));

/** Whether it is a priced field of any format. */
function isVariantName(name: string): boolean {
  return FOLDED.has(foldName(name)) && !NAMES.has(name);
}
