// Where schemas stand inside a schema. A keyword is only one there: a property may well be called `items`.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

/** Members that hold schemas by name. */
export const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Members that hold a schema, or a list of them. */
export const NESTED: ReadonlySet<string> = new Set(['items', 'prefixItems', 'anyOf', 'allOf', 'oneOf']);

/** Whether it is true of a schema, or of one inside it. */
export function someSchema(schema: Json | undefined, isTrue: (one: JsonObject) => boolean): boolean {
  if (Array.isArray(schema)) return schema.some((one) => someSchema(one, isTrue));
  if (!isObject(schema)) return false;
  if (isTrue(schema)) return true;
  return Object.entries(schema).some(([name, value]) => {
    if (NAMED.has(name)) return isObject(value) && Object.values(value).some((one) => someSchema(one, isTrue));
    return NESTED.has(name) && someSchema(value, isTrue);
  });
}
