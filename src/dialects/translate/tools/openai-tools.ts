// The common part of tools in chat and Responses: how the client's own are read, which of them must be called, and how they
// are written for an upstream.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import type { RawValue } from '../../../kit/json/raw-json.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import { objectList, optionalFlag, refuseField, stringAt } from '../../fields.ts';
import { refuseOnlyTool } from '../../input/vendor-tools.ts';
import type { Conversation, Setting, Tool, ToolChoice } from '../conversation.ts';
import type { Written } from '../openai-settings.ts';
import { objectSchema } from './tool-arguments.ts';
import { allowedTools, createToolNames, type ToolNames } from './tool-names.ts';

/** By the values of `tool_choice`. */
const CHOICE_MODES = new Map<unknown, 'auto' | 'none' | 'any'>([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'any'],
]);

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

/** Other formats have no custom tools and cannot enforce a grammar, so the description contains it. */
export function readCustom(fields: JsonObject, at: string): Tool {
  return { ...readFunction({ name: fields.name }, at), description: describeCustomTool(fields), isCustom: true };
}

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

interface GivenChoice {
  tools: readonly Tool[];
  /** Tools that only their own vendor runs, by their types. */
  left: readonly Setting[];
  /** Where the first of these is. */
  leftAt: string | undefined;
  choice: Json | undefined;
  at: string;
  /** The object with the list of allowed tools, if the choice has one, and where the list is. */
  list: Json | undefined;
  listAt: string;
  /** The tools of the request that one in a choice means. */
  namesOf(tool: JsonObject): readonly string[];
}

/** Which tools must be called. A vendor's own may be left out, unless they are what is asked for, or all that there is. */
export function readChoice(given: GivenChoice): ToolChoice | undefined {
  const { tools, left, leftAt, choice } = given;
  const toolChoice = choice === undefined ? undefined : choiceOf(choice, given);
  if (tools.length > 0) return toolChoice;
  if (left[0] && leftAt !== undefined && choice !== 'none') refuseOnlyTool(left[0].name, leftAt);
  return undefined;
}

function choiceOf(choice: Json, given: GivenChoice): ToolChoice {
  const { tools, at, namesOf } = given;
  const mode = CHOICE_MODES.get(choice);
  if (mode === 'any' && tools.length === 0)
    refuseField(at, `${at} needs a tool, and the request has none of its own. Add one, or remove ${at}.`);
  if (mode) return { mode };
  if (!isObject(choice)) return refuseField(at, `${at} must be none, auto, required or a tool.`);
  if (choice.type === 'allowed_tools') return readAllowed(given);
  const [name] = namesOf(choice);
  if (name !== undefined) return { mode: 'tool', name };
  return refuseField(at, `${at} names a tool that this model cannot call. Name a tool of your own.`);
}

function readAllowed({ left, at, list: given, listAt, namesOf }: GivenChoice): ToolChoice {
  const { tools, mode }: JsonObject = isObject(given) ? given : {};
  const list = objectList(tools, listAt);
  const leftTypes = new Set<Json | undefined>(left.map(({ name }) => name));
  const namespaces = new Set<string>();
  const allowed = new Set<string>();
  for (const [index, tool] of list.entries()) {
    // A namespace has many tools, and may be named many times.
    if (tool.type === 'namespace' && typeof tool.name === 'string') {
      if (namespaces.has(tool.name)) continue;
      namespaces.add(tool.name);
    }
    const names = namesOf(tool);
    // One of the vendor's own is reported as dropped already.
    if (names.length === 0 && !leftTypes.has(tool.type)) {
      const message = `${at} names a tool that is not in this request. Name only tools of this request.`;
      refuseField(`${listAt}[${index}]`, message);
    }
    for (const name of names) allowed.add(name);
  }
  if (allowed.size > 0) return { mode: mode === 'required' ? 'any' : 'auto', allowed: [...allowed] };
  if (mode === 'required') refuseField(at, `Allow at least one tool of your own in ${at}.`);
  return refuseOnlyTool(stringAt(list[0]?.type, `${listAt}[0].type`), `${listAt}[0]`);
}

/** Undefined if the client did not say whether there may be several calls at a time. */
export function readParallel(body: JsonObject): boolean | undefined {
  const name = 'parallel_tool_calls';
  return (body[name] ?? undefined) === undefined ? undefined : optionalFlag(body, name);
}

const NAME = /^[a-zA-Z0-9_-]+$/;
const NAME_CHARS = 64;

interface FunctionFormat {
  /** What the format has around the fields of a function. */
  wrap(fields: { [name: string]: RawValue | undefined }): RawValue;
  /** Schemas of other formats do not support `strict`; where it is on by default, it is switched off. */
  notStrict: false | undefined;
}

export function writeTools(
  conversation: Conversation,
  { takesParallelFlag }: Quirks,
  { wrap, notStrict }: FunctionFormat,
): Written & { names: ToolNames } {
  const { tools, toolChoice: choice, parallelTools, parallelToolsName } = conversation;
  const names = createToolNames(tools, NAME, NAME_CHARS);
  if (tools.length === 0) return { members: {}, dropped: [], names };
  const write = (tool: Tool) => {
    const strict = tool.strict === true || notStrict;
    const { name, description } = tool;
    return wrap({ name: names.toUpstream(name), description, parameters: objectSchema(tool), strict });
  };
  const mode = choice?.mode === 'any' ? 'required' : choice?.mode;
  return {
    members: {
      tools: allowedTools(conversation).map(write),
      tool_choice: choice?.mode === 'tool' ? wrap({ name: names.toUpstream(choice.name) }) : mode,
      parallel_tool_calls: takesParallelFlag ? parallelTools : undefined,
    },
    dropped: parallelToolsName && parallelTools === false && !takesParallelFlag ? [parallelToolsName] : [],
    names,
  };
}
