// Rewrites a schema for the vendor's structured answers: every object is closed, and keywords that the vendor refuses are
// removed. Properties with such a name, for example `pattern`, stay.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { NAMED, NESTED, someSchema } from '../../translate/schemas/nested-schemas.ts';

const REFUSED = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems'],
  ...['minProperties', 'maxProperties', 'patternProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['dependentRequired', 'dependentSchemas', 'if', 'then', 'else', 'not'],
]);
/** The formats of strings that the vendor accepts. It refuses all others, and any format of a number. */
const FORMATS = new Set<unknown>([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
]);

export function supportedSchema(given: Json | undefined): Json {
  if (!isObject(given)) return given ?? {};
  const schema = withOnlyPart(given);
  const members = Object.entries(schema).flatMap(([name, value]): [string, Json | undefined][] => {
    if (REFUSED.has(name) || name === 'additionalProperties') return [];
    if (name === 'format' && !(FORMATS.has(value) && isOfType(schema, 'string'))) return [];
    // For a model, `oneOf` and `anyOf` mean the same.
    if (name === 'oneOf') return [['anyOf', nested(value)]];
    if (NESTED.has(name)) return [[name, nested(value)]];
    return [[name, NAMED.has(name) ? named(value) : value]];
  });
  const written: JsonObject = Object.fromEntries(members);
  return describesObject(schema) ? { ...written, additionalProperties: false } : written;
}

/** Keywords that constrain nothing. Where two schemas have one, the outer one counts. */
const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples']);

/** Replaces an `allOf` with one schema by that schema: libraries write a reference with a description like that. */
function withOnlyPart(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  const [only, ...more] = Array.isArray(allOf) ? allOf : [];
  if (!isObject(only) || more.length > 0) return schema;
  const isAmbiguous = Object.keys(only).some((name) => Object.hasOwn(rest, name) && !ANNOTATIONS.has(name));
  return isAmbiguous ? schema : withOnlyPart({ ...only, ...rest });
}

/** Whether it has an object with arbitrary member names: closed, that object would allow none of them. */
export function hasDictionary(schema: Json | undefined): boolean {
  return someSchema(schema, (one) => {
    const { additionalProperties: others, patternProperties: patterns } = one;
    return others === true || isObject(others) || isObject(patterns) || isAnyObject(one);
  });
}

/** An object schema without any of these keywords allows all members. */
function isAnyObject(schema: JsonObject): boolean {
  const listsMembers = Object.keys(schema).some((name) => MEMBER_KEYWORDS.has(name));
  return describesObject(schema) && !listsMembers;
}

const MEMBER_KEYWORDS = new Set([
  'properties',
  'additionalProperties',
  '$ref',
  'anyOf',
  'allOf',
  'oneOf',
  'const',
  'enum',
]);

function describesObject(schema: JsonObject): boolean {
  return isOfType(schema, 'object') || isObject(schema.properties);
}

function isOfType({ type }: JsonObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

function nested(value: Json | undefined): Json {
  return Array.isArray(value) ? value.map(supportedSchema) : supportedSchema(value);
}

function named(value: Json | undefined): Json | undefined {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, supportedSchema(schema)]));
}
