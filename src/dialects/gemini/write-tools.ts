// Tools as function declarations, and the choice among them. Parameters are always those of an object.

import { type JsonObject, objectsOf } from '../../kit/json/json.ts';
import type { RawValue } from '../../kit/json/raw-json.ts';
import { refuseField } from '../fields.ts';
import type { Conversation, Tool, ToolChoice } from '../translate/conversation.ts';
import { allowedTools } from '../translate/tools/allowed-tools.ts';
import { objectSchema } from '../translate/tools/tool-arguments.ts';
import type { ToolNames } from '../translate/tools/tool-names.ts';
import { mergeAny } from './merge-schemas.ts';
import { writeSchema } from './schema.ts';

export function writeTool(tool: Tool, names: ToolNames): RawValue {
  const schema = parametersOf(tool);
  return {
    name: names.toUpstream(tool.name),
    description: tool.description,
    // An object without properties is refused; a function without parameters is not.
    parametersJsonSchema: isEmpty(schema) ? undefined : schema,
  };
}

function parametersOf(tool: Tool): JsonObject {
  const { anyOf, ...schema } = writeSchema(objectSchema(tool));
  const choices = objectsOf(anyOf);
  const merged = choices.length > 0 ? mergeAny(choices.map((choice) => ({ ...schema, ...choice }))) : schema;
  const { type = 'object' } = merged;
  const isOfObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isOfObject) refuseField(tool.at, `The schema of the tool ${tool.name} must be of type object.`);
  return { ...merged, type: 'object' };
}

function isEmpty({ properties, additionalProperties }: JsonObject): boolean {
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  return !isOpen && Object.keys(properties ?? {}).length === 0;
}

/**
 * The tools that the client's choice allows. If a call is forced, all stay declared, because the choice itself names the
 * allowed ones.
 */
export function declaredTools(conversation: Conversation): readonly Tool[] {
  return conversation.toolChoice?.mode === 'auto' ? allowedTools(conversation) : conversation.tools;
}

/** For `functionCallingConfig`; `mustCall`: the answer itself is a call, so there must be one. */
export function writeToolChoice(
  choice: ToolChoice | undefined,
  names: ToolNames,
  mustCall: boolean,
): RawValue | undefined {
  if (!choice || mustCall) return mustCall ? { mode: 'ANY' } : undefined;
  const only = choice.mode === 'tool' ? [choice.name] : choice.mode === 'any' ? choice.allowed : undefined;
  const mode = choice.mode === 'tool' ? 'ANY' : choice.mode.toUpperCase();
  return { mode, allowedFunctionNames: only?.map((name) => names.toUpstream(name)) };
}
