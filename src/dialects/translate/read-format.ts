// The response format of chat and Responses requests.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import type { OutputFormat } from './conversation.ts';

/** A schema with its name, description and `strict`. */
export function schemaFormat(schema: JsonObject, { name, description, strict }: JsonObject): OutputFormat {
  return {
    kind: 'json_schema',
    name: typeof name === 'string' ? name : undefined,
    description: typeof description === 'string' ? description : undefined,
    schema,
    strict: typeof strict === 'boolean' ? strict : undefined,
  };
}

/** For formats that take a description in the schema only; that of the schema itself comes first. */
export function describedSchema({ schema, description }: Extract<OutputFormat, { kind: 'json_schema' }>): Json {
  return description !== undefined && isObject(schema) ? { description, ...schema } : schema;
}
