// Google's own schemas as JSON schemas: their types are in capitals, `nullable` is a flag, and counts may be texts.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { camelName } from '../member.ts';

const COUNTS: ReadonlySet<string> = new Set([
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
]);
/** Members that a JSON schema does not have. */
const LEFT_OUT: ReadonlySet<string> = new Set(['nullable', 'propertyOrdering', 'example']);

export function readSchema(value: Json): Json {
  if (!isObject(value)) return value;
  const schema: JsonObject = {};
  for (const [written, given] of Object.entries(value)) {
    const name = camelName(written);
    if (given === undefined || given === null || LEFT_OUT.has(name)) continue;
    schema[name] = readKeyword(name, given);
  }
  return value.nullable === true ? asNullable(schema) : schema;
}

function readKeyword(name: string, given: Json): Json {
  if (name === 'type') return typeof given === 'string' ? given.toLowerCase() : given;
  if (name === 'properties' && isObject(given)) return mapMembers(given);
  if (name === 'items' || name === 'additionalProperties') return readSchema(given);
  if (name === 'anyOf' && Array.isArray(given)) return given.map(readSchema);
  return COUNTS.has(name) && typeof given === 'string' ? Number(given) : given;
}

/** Names of properties are the client's own. */
function mapMembers(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, schema === undefined ? schema : readSchema(schema)]),
  );
}

function asNullable(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf } = schema;
  if (typeof type === 'string') {
    const nullable = { ...schema, type: [type, 'null'] };
    return Array.isArray(values) ? { ...nullable, enum: [...values, null] } : nullable;
  }
  return Array.isArray(anyOf) ? { ...schema, anyOf: [...anyOf, { type: 'null' }] } : schema;
}
