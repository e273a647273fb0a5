// What the two formats of one vendor say alike of an answer's shape, under different names.

import type { JsonObject } from '../../kit/json/json.ts';
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
