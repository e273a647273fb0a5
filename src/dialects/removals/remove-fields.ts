// Top-level fields of a body that do not reach an upstream of the same format. There is one pass over the names. Most of
// them are known by their exact name; only the others are folded.

import type { Json, JsonObject } from '../../kit/json/json.ts';
import { ENDPOINTS, type Endpoint } from '../../vendors/endpoints.ts';
import { isHarmless, PRICED_FIELDS, type PricedField } from './priced-fields.ts';
import { foldName, isAsked, MAX_NAMED } from './removals.ts';

export interface RemovedFields {
  /** All that are removed. */
  removed: readonly string[];
  /** The first of those that are reported to the client. */
  named: readonly string[];
}

const NONE: RemovedFields = { removed: [], named: [] };

export interface FieldRules {
  /** The model costs nothing. */
  isFree: boolean;
  /** The service tiers that its price lists. */
  serviceTiers?: ListedTiers;
}

/** By name. */
export type ListedTiers = { has(tier: string): boolean } | undefined;

export function removeFields(body: JsonObject, endpoint: Endpoint, rules: FieldRules): RemovedFields {
  const known = KNOWN.get(endpoint) ?? knownOf(endpoint);
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

/** The edits of a body, and these fields removed from it. */
export function withoutFields(edits: JsonObject, removed: readonly string[] = NONE.removed): JsonObject {
  if (removed.length === 0) return edits;
  // A name may be `__proto__`, which must not set a prototype.
  const all: JsonObject = Object.assign(Object.create(null), edits);
  for (const name of removed) all[name] = undefined;
  return all;
}

const SAMPLING = ['temperature', 'top_p', 'top_k'];
const OPENAI = ['user', 'safety_identifier', 'metadata', 'service_tier', 'store'];
const CACHING = ['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'cache_control'];
const IMAGES = [
  ...['model', 'prompt', 'n', 'size', 'response_format', 'user', 'stream'],
  ...['background', 'output_format', 'output_compression'],
];
const TOOLS = ['tools', 'tool_choice'];

/**
 * The fields that a free model takes, by format: what common clients send. An unknown field may be a vendor's means to ask for
 * more, and no hold would cover that.
 */
const FREE_FIELDS: Record<Endpoint, readonly string[]> = {
  chat: [
    ...['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'n', 'stop'],
    ...SAMPLING,
    ...['min_p', 'top_a', 'repetition_penalty', 'frequency_penalty', 'presence_penalty', 'seed', 'random_seed'],
    ...['logit_bias', 'logprobs', 'top_logprobs', 'response_format', 'verbosity'],
    ...TOOLS,
    ...['parallel_tool_calls', 'functions', 'function_call'],
    ...['reasoning_effort', 'reasoning', 'include_reasoning', 'thinking', 'enable_thinking', 'thinking_budget'],
    ...['chat_template_kwargs', 'usage', 'transforms', 'session_id'],
    ...OPENAI,
    ...CACHING,
  ],
  responses: [
    ...['model', 'input', 'instructions', 'stream', 'stream_options', 'max_output_tokens', 'max_tool_calls'],
    ...SAMPLING,
    ...['top_logprobs', 'text', 'reasoning', 'include', 'truncation', 'context_management', 'client_metadata'],
    ...TOOLS,
    ...['parallel_tool_calls', 'background', 'previous_response_id', 'conversation', 'prompt'],
    ...OPENAI,
    ...CACHING,
  ],
  messages: [
    ...['model', 'messages', 'system', 'stream', 'max_tokens', 'stop_sequences'],
    ...SAMPLING,
    ...TOOLS,
    ...['thinking', 'output_config', 'output_format', 'context_management', 'metadata', 'cache_control', 'thread'],
    ...['service_tier', 'speed', 'inference_geo'],
  ],
  embeddings: ['model', 'input', 'encoding_format', 'dimensions', 'user', 'input_type', 'task', 'truncate'],
  images: [...IMAGES, 'style', 'moderation'],
  image_edits: [...IMAGES, 'image', 'images', 'mask'],
  image_variations: ['model', 'image', 'n', 'size', 'response_format', 'user'],
  speech: ['model', 'input', 'voice', 'instructions', 'response_format', 'speed', 'stream_format'],
  transcription: [
    ...['model', 'file', 'language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities', 'stream'],
    ...['include', 'chunking_strategy'],
  ],
  audio_translation: ['model', 'file', 'prompt', 'response_format', 'temperature'],
  rerank: ['model', 'query', 'documents', 'top_n', 'top_k', 'return_documents', 'max_tokens_per_doc', 'rank_fields'],
  moderation: ['model', 'input'],
  gemini: [
    ...['model', 'stream', 'alt', 'contents', 'systemInstruction', 'system_instruction', 'tools'],
    ...['toolConfig', 'tool_config', 'safetySettings', 'safety_settings', 'generationConfig', 'generation_config'],
  ],
};

type KnownField = { priced: PricedField | undefined; isFreeField: boolean };

function knownOf(endpoint: Endpoint): ReadonlyMap<string, KnownField> {
  const fields = PRICED_FIELDS.filter((field) => field.in === undefined || field.in.includes(endpoint));
  const priced = new Map(fields.map((field) => [field.name, field]));
  const free = new Set(FREE_FIELDS[endpoint]);
  const names = [...priced.keys(), ...free];
  return new Map(names.map((name) => [name, { priced: priced.get(name), isFreeField: free.has(name) }]));
}

const KNOWN = new Map(ENDPOINTS.map((endpoint) => [endpoint, knownOf(endpoint)]));

const NAMES: ReadonlySet<string> = new Set(PRICED_FIELDS.map(({ name }) => name));
const FOLDED: ReadonlySet<string> = new Set([...NAMES].map(foldName));

/** Whether it is a priced field of any format. */
function isVariantName(name: string): boolean {
  return FOLDED.has(foldName(name)) && !NAMES.has(name);
}
