// Schemas as the vendor takes them for answers: every object closed, and without the keywords it refuses. A keyword is only
// one where a schema stands: a property may well be called `pattern`.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { NAMED, NESTED, someSchema } from '../../translate/schemas/nested-schemas.ts';

const REFUSED = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems'],
  ...['minProperties', 'maxProperties', 'patternProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['dependentRequired', 'dependentSchemas', 'if', 'then', 'else', 'not'],
]);
/** Of strings; all others are refused, and so is any of a number. */
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

/** Words about a schema, which bind nothing: those nearer to where it is used say more. */
const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples']);

/** What `allOf` says by itself is said in its place: libraries describe a reference like that, which is refused. */
function withOnlyPart(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  const [only, ...more] = Array.isArray(allOf) ? allOf : [];
  if (!isObject(only) || more.length > 0) return schema;
  const isAmbiguous = Object.keys(only).some((name) => Object.hasOwn(rest, name) && !ANNOTATIONS.has(name));
  return isAmbiguous ? schema : withOnlyPart({ ...only, ...rest });
}

/** Whether an object in it takes members of any name: closed, it would take none of them. */
export function hasDictionary(schema: Json | undefined): boolean {
  return someSchema(schema, (one) => {
    const { additionalProperties: others, patternProperties: patterns } = one;
    return others === true || isObject(others) || isObject(patterns) || isAnyObject(one);
  });
}

/** One of which nothing else is said takes whatever there is. */
function isAnyObject(schema: JsonObject): boolean {
  const isSaid = Object.keys(schema).some((name) => SAYS_MEMBERS.has(name));
  return describesObject(schema) && !isSaid;
}

const SAYS_MEMBERS = new Set([
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
