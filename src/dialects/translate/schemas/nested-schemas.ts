// The keywords whose values are schemas. Properties with the same name, for example `items`, are not keywords.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';

/** Members that hold schemas by name. */
export const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Members that hold a schema, or a list of them. */
export const NESTED: ReadonlySet<string> = new Set(['items', 'prefixItems', 'anyOf', 'allOf', 'oneOf']);

/** Whether it is true of a schema, or of one inside it. */
export function someSchema(schema: Json | undefined, isTrue: (one: JsonObject) => boolean): boolean {
  if (!isObject(schema)) return false;
  return isTrue(schema) || someInside(schema, (one) => someSchema(one, isTrue));
}

/** Whether it is true for a direct child of a schema. */
export function someInside(schema: JsonObject, isTrue: (one: Json | undefined) => boolean): boolean {
  return Object.entries(schema).some(([name, value]) => {
    if (NAMED.has(name)) return isObject(value) && Object.values(value).some(isTrue);
    if (!NESTED.has(name)) return false;
    return Array.isArray(value) ? value.some(isTrue) : isTrue(value);
  });
}
