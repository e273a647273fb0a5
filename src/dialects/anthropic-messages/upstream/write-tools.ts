// Tools and the choice among them. Schemas here must be of an object, and a choice needs tools to choose from. Models that
// refuse a forced call are asked for it in words.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import type { RawValue } from '../../../kit/json/raw-json.ts';
import { refuseField } from '../../fields.ts';
import type { Conversation, TextPart, Tool, ToolChoice } from '../../translate/conversation.ts';
import { objectSchema } from '../../translate/tools/tool-arguments.ts';
import type { ToolNames } from '../../translate/tools/tool-names.ts';
import { type CacheMarks, cacheMember } from './cache-marks.ts';

export function writeTool(tool: Tool, names: ToolNames, marks: CacheMarks): RawValue {
  return {
    name: names.toUpstream(tool.name),
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: inputSchema(tool),
    ...cacheMember(marks.get(tool)),
  };
}

const CHOICES = ['anyOf', 'oneOf', 'allOf'];

function inputSchema(tool: Tool): JsonObject {
  const { at, name } = tool;
  const schema = objectSchema(tool);
  if (!isObject(schema)) refuseField(at, `The schema of the tool ${name} must be an object.`);
  const { type } = schema;
  const isOfObject = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isOfObject) refuseField(at, `The schema of the tool ${name} must be of type object.`);
  // The vendor takes none at the top, and without it a model would get less than the client sent.
  const choice = CHOICES.find((one) => hasVariants(schema[one]));
  if (choice)
    refuseField(
      at,
      `This model does not accept ${choice} at the top of the schema of the tool ${name}. Remove it, or move it into a property.`,
    );
  const kept = Object.entries(schema).filter(([member]) => !CHOICES.includes(member));
  // Clients omit the parameters of a tool that has none.
  const properties = schema.properties === undefined && schema.$ref === undefined ? { properties: {} } : {};
  return { ...Object.fromEntries(kept), type: 'object', ...properties };
}

function hasVariants(variants: Json | undefined): boolean {
  return variants !== undefined && !(Array.isArray(variants) && variants.length === 0);
}

interface ChoiceOptions {
  names: ToolNames;
  /** The tool whose arguments are the answer, if there is one. */
  formatTool: string | undefined;
  hasTools: boolean;
  takesForcedTools: boolean;
}

type WrittenChoice = { type: string; name?: string };

export function writeToolChoice(conversation: Conversation, options: ChoiceOptions) {
  const { toolChoice, toolChoiceName = 'tool_choice', parallelTools } = conversation;
  const { names, hasTools, takesForcedTools } = options;
  const isAsked = !takesForcedTools && hasTools && isForced(toolChoice);
  const asked = isAsked ? { mode: 'auto' as const } : toolChoice;
  const choice =
    options.formatTool === undefined ? hasTools && plainChoice(asked, options) : formatChoice(options, asked);
  const mode = choice || (hasTools && parallelTools === false ? { type: 'auto' } : undefined);
  const isSerial = parallelTools === false && mode?.type !== 'none';
  const hints: TextPart[] = isAsked ? [{ type: 'text', text: callHint(toolChoice, names), at: 'system' }] : [];
  return {
    choice: mode && isSerial ? { ...mode, disable_parallel_tool_use: true } : mode,
    isForced: mode?.type === 'any' || mode?.type === 'tool',
    hints,
    dropped: isAsked ? [toolChoiceName] : [],
  };
}

/** In the system text, which stays the same while the client forces a call in each turn: a change of it would end the cached
 * prompt there, and make earlier thoughts invalid. */
function callHint(choice: ToolChoice | undefined, names: ToolNames): string {
  const called = choice?.mode === 'tool' ? `the tool ${names.toUpstream(choice.name)}` : 'one of the tools';
  return `Your answer must be a call of ${called}.`;
}

function plainChoice(choice: ToolChoice | undefined, { names }: ChoiceOptions): WrittenChoice | undefined {
  if (!choice) return undefined;
  return choice.mode === 'tool' ? { type: 'tool', name: names.toUpstream(choice.name) } : { type: choice.mode };
}

/** The answer itself is a call: if the client has tools, too, the model must choose one of them. */
function formatChoice({ formatTool = '', hasTools }: ChoiceOptions, choice: ToolChoice | undefined): WrittenChoice {
  return hasTools && choice?.mode !== 'none' ? { type: 'any' } : { type: 'tool', name: formatTool };
}

export function isForced(choice: ToolChoice | undefined): boolean {
  return choice?.mode === 'any' || choice?.mode === 'tool';
}
