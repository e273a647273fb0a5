// What an upstream's refusal of a request is about.

import { ANSWER_LIMITS, isObject, type Json, type JsonObject, scanTopLevel } from '../kit/json/json.ts';
import type { Spans } from '../kit/json/spans.ts';
import type { Dialect } from './dialect.ts';

/** The fields of upstream formats that contain the client's prompt. */
const PROMPTS: ReadonlySet<string> = new Set(['messages', 'input', 'instructions', 'system', 'contents']);

/**
 * The client's field for one that an upstream refused after a translation; undefined if unknown. Places inside the field may
 * differ.
 */
export function clientsField(param: string | undefined, dialect: Dialect, request: JsonObject): string | undefined {
  const [name = ''] = param?.split(/[.[]/) ?? [];
  if (PROMPTS.has(name)) return dialect.request.promptField;
  return Object.hasOwn(request, name) ? name : undefined;
}

/** Words of error messages for a thing, and the fields that name one. */
const NAMED: readonly (readonly [words: RegExp, fields: readonly string[]])[] = [
  [/\bfiles?(_ids?)?\b/i, ['file_id', 'file_ids']],
  [/\bvector[ _]stores?\b/i, ['vector_store_ids']],
  [/\bcontainers?\b/i, ['container']],
  [/\bskills?\b/i, ['skill_id']],
  [/\bitem with id\b/i, ['id']],
];
/** How messages about a model begin, and llama.cpp's about a path. Only the beginning counts: the rest may quote the client. */
const OF_A_ROUTE = /^(?:[Tt]he )?[Mm]odels?\b|^File Not Found$/;

/**
 * Whether a 404 is about something that the request names by its id, such as a file of another account. Both the message and the
 * request are checked, because an unknown model or path has the same status.
 */
export function isAboutNamed(message: string, request: JsonObject): boolean {
  if (OF_A_ROUTE.test(message)) return false;
  const fields = NAMED.flatMap(([words, names]) => (words.test(message) ? names : []));
  return fields.length > 0 && holdsOne(request, fields);
}

function holdsOne(value: Json | undefined, fields: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((item) => holdsOne(item, fields));
  if (!isObject(value)) return false;
  if (fields.some((field) => isName(value, field))) return true;
  return Object.keys(value).some((name) => holdsOne(value[name], fields));
}

/** An id, a list of them, or an object with one; a schema may have a property of the same name, which is none. */
function isName(object: JsonObject, field: string): boolean {
  const value = object[field];
  if (typeof value === 'string') return true;
  if (Array.isArray(value)) return value.some((item) => typeof item === 'string');
  return isObject(value) && typeof value.id === 'string';
}

const KINDS: Readonly<Record<string, string>> = {
  '"': 'text',
  '[': 'list',
  '{': 'object',
  t: 'true',
  f: 'false',
  n: 'null',
};

/** Names of the format itself. Others may be the client's content, such as the parameters of a tool. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...['role', 'content', 'type', 'text', 'name', 'id', 'description', 'strict', 'index', 'status', 'output'],
  ...['function', 'parameters', 'arguments', 'tool_calls', 'tool_call_id', 'call_id', 'input_schema', 'input'],
  ...['tool_use_id', 'is_error', 'image_url', 'url', 'detail', 'file', 'file_data', 'input_audio', 'data', 'format'],
  ...['source', 'media_type', 'title', 'cache_control', 'ttl', 'citations', 'thinking', 'signature', 'budget_tokens'],
  ...['reasoning_content', 'reasoning', 'reasoning_details', 'summary', 'encrypted_content', 'effort', 'include_usage'],
  ...['json_schema', 'schema', 'mode', 'tools', 'user_id', 'parts', 'functionDeclarations', 'functionCall', 'args'],
  ...['functionResponse', 'response', 'inlineData', 'mimeType', 'thoughtSignature', 'thinkingConfig', 'thinkingBudget'],
  ...['maxOutputTokens', 'responseSchema', 'responseJsonSchema', 'parametersJsonSchema', 'functionCallingConfig'],
]);

/**
 * Describes a translated request that was refused, so that an error of the translation can be found: the names and kinds of its
 * members and the place that the upstream points to; no content. `body`: as it was sent. `param`: as the upstream gave it.
 */
export function describeRefused(body: string, param: string | undefined): string {
  const members = scanTopLevel(body, ANSWER_LIMITS);
  const shape = members.list().map(({ name, valueStart }) => `${name} ${KINDS[body.charAt(valueStart)] ?? 'number'}`);
  const place = param === undefined ? '' : placeIn(members, param);
  return `${place ? `at ${place}; ` : ''}sent ${shape.join(', ')}`;
}

/** The part of the place with names of the format itself: from a member on, up to the first other name. */
function placeIn(members: Spans, param: string): string {
  const [first = '', ...rest] = param.split(/[.[\]]+/).filter((name) => name !== '');
  if (!members.has(first)) return '';
  const foreign = rest.findIndex((name) => !isIndex(name) && !OWN_NAMES.has(name));
  const own = foreign < 0 ? rest : rest.slice(0, foreign);
  return own.reduce((place, name) => place + (isIndex(name) ? `[${name}]` : `.${name}`), first);
}

function isIndex(name: string): boolean {
  return /^\d{1,6}$/.test(name);
}
