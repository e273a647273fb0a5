// The common part of tools in chat and Responses: how the client's own are read, and which names an upstream accepts.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { objectList, refuseField, stringAt } from '../../fields.ts';
import type { Tool } from '../conversation.ts';
import { createToolNames, type ToolNames } from './tool-names.ts';

/** By the values of `tool_choice`. */
export const CHOICE_MODES = new Map<unknown, 'auto' | 'none' | 'any'>([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'any'],
]);

const NAME = /^[a-zA-Z0-9_-]+$/;
const NAME_CHARS = 64;

export function listTools(list: Json | undefined, at: string): readonly JsonObject[] {
  if (list === undefined || list === null || (Array.isArray(list) && list.length === 0)) return [];
  return objectList(list, at);
}

export function readFunction(fields: JsonObject, at: string): Tool {
  const { parameters: schema, description, strict } = fields;
  if (schema !== undefined && schema !== null && !isObject(schema)) {
    refuseField(`${at}.parameters`, `${at}.parameters must be a JSON schema.`);
  }
  return {
    name: stringAt(fields.name, `${at}.name`),
    description: typeof description === 'string' ? description : undefined,
    schema: schema ?? undefined,
    strict: typeof strict === 'boolean' ? strict : undefined,
    isCustom: false,
    at,
  };
}

export function readCustom(fields: JsonObject, at: string): Tool {
  return {
    name: stringAt(fields.name, `${at}.name`),
    description: describeCustomTool(fields),
    schema: undefined,
    strict: undefined,
    isCustom: true,
    at,
  };
}

export function createOpenaiNames(tools: readonly Tool[]): ToolNames {
  return createToolNames(tools, NAME, NAME_CHARS);
}

// Other formats have no custom tools and cannot enforce a grammar, so the description contains it.
/** The grammar is in `format` or, in chats, in `format.grammar`. */
function describeCustomTool({ description, format }: JsonObject): string | undefined {
  const outer = isObject(format) ? format : {};
  const { definition, syntax } = isObject(outer.grammar) ? outer.grammar : outer;
  const words = typeof description === 'string' ? [description] : [];
  if (typeof definition === 'string') {
    const kind = typeof syntax === 'string' ? `${syntax} ` : '';
    words.push(`The input must match this ${kind}grammar:\n${definition}`);
  }
  return words.length > 0 ? words.join('\n\n') : undefined;
}
