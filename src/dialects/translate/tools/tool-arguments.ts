// Arguments and results of tools, for upstreams that know only JSON objects: arguments that are none are wrapped,
// and a tool of free text becomes one of a single text.

import { isObject, type Json, type JsonObject, tryParseJson } from '../../../kit/json/json.ts';
import type { Tool, ToolCallPart } from '../conversation.ts';
import { CUSTOM_INPUT } from './restore-tools.ts';

/** The JSON text of an object. The text of an object stays unchanged. */
export function objectArguments({ arguments: text, isCustom }: Pick<ToolCallPart, 'arguments' | 'isCustom'>): string {
  if (isCustom) return JSON.stringify({ [CUSTOM_INPUT]: text });
  if (text.trim() === '') return '{}';
  const value = tryParseJson(text);
  if (value === undefined) return JSON.stringify({ _raw: text });
  return isObject(value) ? text : `{"_value":${text}}`;
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

export function objectSchema({ schema, isCustom }: Pick<Tool, 'schema' | 'isCustom'>): Json {
  if (!isCustom) return schema ?? NO_PARAMETERS;
  return { type: 'object', properties: { [CUSTOM_INPUT]: { type: 'string' } }, required: [CUSTOM_INPUT] };
}
