// The format of an answer for models without such a setting: as the arguments of a tool, or as a request in the prompt.

import { isObject, type Json } from '../../../kit/json/json.ts';
import type { OutputFormat, Tool } from '../conversation.ts';
import type { ToolNames } from './tool-names.ts';

/** The schema for formats that take a description in it only; its own comes first. */
export function describedSchema({ schema, description }: Extract<OutputFormat, { kind: 'json_schema' }>): Json {
  return description !== undefined && isObject(schema) ? { description, ...schema } : schema;
}

export const JSON_HINT = 'Answer with one JSON object and nothing else: no other words, no code fence.';

export function schemaHint(schema: Json): string {
  return `Answer with JSON that fits this schema:\n${JSON.stringify(schema)}`;
}

const NAME = 'answer';
const DESCRIPTION = 'Gives the answer. Call it once, with the whole answer as its arguments.';

/** `names`: those of the client's tools, of which it must be none. */
export function createFormatTool(schema: Json, names: ToolNames): Tool {
  let name = NAME;
  while (names.find(name)) name += '_';
  return { name, description: DESCRIPTION, schema, strict: undefined, isCustom: false, at: 'response_format' };
}
