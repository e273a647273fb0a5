// Reads single fields of a client's body. A wrong type is a 400 that names the field.

import { fault } from '../faults/fault.ts';
import { isObject, type Json, type JsonDocument, type JsonObject, tryParseJson } from '../kit/json/json.ts';
import type { Spans } from '../kit/json/spans.ts';

/** The highest bound on tokens that a client may set. */
export const MAX_TOKENS = 1_000_000_000;

export function refuseField(param: string, message: string): never {
  throw fault('invalid_request', { param, message });
}

export function textField(body: JsonObject, name: string, maxLength: number): string {
  const value = body[name];
  if (typeof value !== 'string' || value === '') refuseField(name, `${name} must be a non-empty string.`);
  if (value.length > maxLength) refuseField(name, `${name} must have at most ${maxLength} characters.`);
  return value;
}

/** A text below the top level of a body, such as `messages[2].name`. */
export function stringAt(value: Json | undefined, at: string): string {
  return typeof value === 'string' ? value : refuseField(at, `${at} must be a string.`);
}

/** Undefined also for an empty string. */
export function nonEmptyString(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const MAX_MODEL_CHARS = 200;

/** The model is checked before everything else in the body. */
export function readModel({ value }: Pick<JsonDocument, 'value'>): string {
  return textField(value, 'model', MAX_MODEL_CHARS);
}

/** Other types are left for the upstream to refuse. */
export function readServiceTier({ service_tier: tier }: JsonObject): string | undefined {
  return typeof tier === 'string' ? tier : undefined;
}

/** OpenAI keeps a cache for 30 minutes unless the request says otherwise. */
const LONG_TIMES: ReadonlySet<Json | undefined> = new Set(['1h', '12h', '24h']);

export function readLongCache({ prompt_cache_options: options }: JsonObject): boolean {
  return isObject(options) && LONG_TIMES.has(options.ttl);
}

export function optionalFlag(body: JsonObject, name: string): boolean {
  const value = body[name];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') refuseField(name, `${name} must be true or false.`);
  return value;
}

export function optionalCount(body: JsonObject, name: string, most: number, least = 1): number | undefined {
  return countAt(body[name], name, most, least);
}

export function countAt(value: Json | undefined, at: string, most: number, least = 1): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    refuseField(at, `${at} must be a whole number from ${least} to ${most}.`);
  }
  return value;
}

/** A count of tokens inside an object of the body, such as `thinking.budget_tokens`. */
export function nestedCount(body: JsonObject, outer: string, inner: string): number | undefined {
  const object = optionalObject(body, outer);
  return object && countAt(object[inner], `${outer}.${inner}`, MAX_TOKENS);
}

export function optionalObject(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) refuseField(name, `${name} must be an object.`);
  return value;
}

export function objectList(value: Json | undefined, name: string): readonly JsonObject[] {
  if (!Array.isArray(value) || value.length === 0)
    refuseField(name, `${name} must be a list with at least one object.`);
  if (value.every(isObject)) return value;
  const wrong = value.findIndex((item) => !isObject(item));
  refuseField(`${name}[${wrong}]`, `Every item of ${name} must be an object.`);
}

/** Refuses the first message without one of these roles. */
export function requireRoles(messages: readonly JsonObject[], roles: ReadonlySet<Json | undefined>): void {
  const wrong = messages.findIndex(({ role }) => !roles.has(role));
  const at = `messages[${wrong}].role`;
  if (wrong >= 0) refuseField(at, `Set ${at} to one of ${[...roles].join(', ')}.`);
}

/** A setting that is present but empty. */
export function isEmptySetting(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === '' || (isObject(value) && Object.keys(value).length === 0);
}

/** The fields of a large body that can refuse its call before the body is parsed. They have the same names in every dialect. */
export type UnparsedFields = NonNullable<ReturnType<typeof readUnparsed>>;

/** Undefined if the model is known only after the parse. */
export function readUnparsed(text: string, spans: Spans) {
  const model = memberOf(text, spans, 'model');
  if (typeof model !== 'string' || spans.findTwice() !== undefined) return undefined;
  return {
    /** The model alone, as in a parsed body. */
    value: { model },
    /** Such a call may only warm a cache, which no limit refuses. */
    asksNoOutput: memberOf(text, spans, 'max_tokens') === 0,
    /** Other models may answer than the fallbacks of this one. */
    listsModels: spans.get('models') !== undefined,
  };
}

function memberOf(text: string, spans: Spans, name: string): unknown {
  const span = spans.get(name);
  return span && tryParseJson(text.slice(span.valueStart, span.valueEnd));
}
