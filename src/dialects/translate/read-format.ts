// What the two formats of one vendor say alike of an answer's shape, under different names.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import type { OutputFormat } from './conversation.ts';

/** A schema with the name and the strictness that stand beside it. */
export function schemaFormat(schema: JsonObject, { name, strict }: JsonObject): OutputFormat {
  return {
    kind: 'json_schema',
    name: typeof name === 'string' ? name : undefined,
    schema,
    strict: typeof strict === 'boolean' ? strict : undefined,
  };
}

/** A setting that is there and says nothing. */
export function isEmptySetting(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === '' || (isObject(value) && Object.keys(value).length === 0);
}
