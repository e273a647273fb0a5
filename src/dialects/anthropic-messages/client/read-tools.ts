// Reads a client's tools. Tools that the vendor runs, or defines by their type alone, cannot be translated. They are removed
// and reported as dropped, or refused if the model must call one or has no other tool.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { optionalObject, refuseField, stringAt } from '../../fields.ts';
import { refuseOnlyTool } from '../../input/vendor-tools.ts';
import type { Setting, TextPart, Tool, ToolChoice } from '../../translate/conversation.ts';
import { readCacheMark } from '../../translate/read-cache-mark.ts';
import { someSchema } from '../../translate/schemas/nested-schemas.ts';
import { announceTool } from '../../translate/tools/tool-names.ts';
import { definedLater, type PlacedTool, type ToolChange, toolChanges } from '../defined-later.ts';

export function readTools(body: JsonObject) {
  const changes = toolChanges(body);
  const listed = sortTools(listedTools(body.tools));
  const later = sortTools(definedLater(changes));
  // A conversation may redefine a tool: the last definition counts.
  const definitions = new Map(later.own.map((tool) => [tool.name, tool]));
  const own = [...listed.own.filter(({ name }) => !definitions.has(name)), ...definitions.values()];
  const vendors = [...listed.left, ...later.left];
  const removed = removedTools(changes);
  const tools = own.filter(({ name }) => !removed.has(name));
  const left = vendors.filter(({ tool }) => !removed.has(tool.name));
  const choice = optionalObject(body, 'tool_choice');
  const forced = left.find(({ tool }) => choice?.type === 'tool' && tool.name === choice.name);
  if (forced) refuseField(forced.at, `This model has no tool ${forced.type}. Remove ${forced.at}, or do not force it.`);
  const [first] = left;
  if (first && tools.length === 0 && choice?.type !== 'none') refuseOnlyTool(first.type, first.at);
  const toolChoice = readChoice(choice);
  if (toolChoice?.mode === 'tool' && !tools.some(({ name }) => name === toolChoice.name)) {
    refuseField('tool_choice', 'tool_choice names a tool that is not in this request. Name a tool of this request.');
  }
  const loose = new Set(tools.filter(({ strict, schema }) => strict && !isStrictElsewhere(schema)));
  return {
    tools: tools.map((tool) => (loose.has(tool) ? { ...tool, strict: undefined } : tool)),
    toolChoice,
    parallelTools: choice?.disable_parallel_tool_use === true ? false : undefined,
    /** The types of tools that are removed, and `strict` where it is not supported. */
    left: [...left.map(({ type }) => type), ...(loose.size > 0 ? ['strict'] : [])].map(
      (name): Setting => ({ kind: 'other', name, value: true }),
    ),
    /** All tools of the request, including those removed later in the conversation. */
    known: { own: new Set(own.map(({ name }) => name)), left: new Set(vendors.map(({ tool }) => tool.name)) },
  };
}

function sortTools(all: readonly PlacedTool[]) {
  const own: Tool[] = [];
  const left: (PlacedTool & { type: string })[] = [];
  for (const { tool, at } of all) {
    const { type } = tool;
    if (type === undefined || type === null || type === 'custom') own.push(readTool(tool, at));
    else left.push({ tool, type: stringAt(type, `${at}.type`), at });
  }
  return { own, left };
}

function listedTools(value: Json | undefined): PlacedTool[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) refuseField('tools', 'tools must be a list of tools.');
  return value.map((tool, index) => {
    const at = `tools[${index}]`;
    return isObject(tool) ? { tool, at } : refuseField(at, 'Every tool must be an object.');
  });
}

function readTool(tool: JsonObject, at: string): Tool {
  if (typeof tool.name !== 'string' || tool.name === '')
    refuseField(`${at}.name`, `${at}.name must be a non-empty string.`);
  const schema = tool.input_schema ?? undefined;
  if (schema !== undefined && !isObject(schema)) {
    refuseField(`${at}.input_schema`, `${at}.input_schema must be a JSON schema.`);
  }
  return {
    name: tool.name,
    description: typeof tool.description === 'string' ? tool.description : undefined,
    schema,
    strict: typeof tool.strict === 'boolean' ? tool.strict : undefined,
    isCustom: false,
    ...readCacheMark(tool),
    at,
  };
}

function readChoice(choice: JsonObject | undefined): ToolChoice | undefined {
  switch (choice?.type) {
    case undefined:
      return undefined;
    case 'auto':
    case 'any':
    case 'none':
      return { mode: choice.type };
    case 'tool':
      if (typeof choice.name === 'string') return { mode: 'tool', name: choice.name };
      return refuseField('tool_choice.name', 'tool_choice.name must be the name of a tool.');
    default:
      return refuseField('tool_choice.type', 'tool_choice.type must be one of auto, any, tool, none.');
  }
}

const REFUSED = ['allOf', 'default'];

/**
 * Schemas may be strict in this format and refused as such by others, where a strict object requires all of its properties.
 * An object that is not closed is right in neither, and goes as it is.
 */
export function isStrictElsewhere(schema: Json | undefined): boolean {
  return !someSchema(schema, (one) => hasOptional(one) || REFUSED.some((name) => one[name] !== undefined));
}

function hasOptional({ additionalProperties, properties, required }: JsonObject): boolean {
  if (additionalProperties !== false || !isObject(properties)) return false;
  const names = new Set(Array.isArray(required) ? required : []);
  return Object.keys(properties).some((name) => !names.has(name));
}

// Tools that are added or removed in the middle of a conversation. Other formats have one list for the whole conversation:
// it has the final tools, and text notes in the conversation say where one was added or removed.
type Placed = Pick<TextPart, 'at' | 'cache'>;

/** Tools of a request by their names. */
export interface KnownTools {
  own: ReadonlySet<string>;
  /** Those that only their vendor runs. */
  left: ReadonlySet<Json | undefined>;
}

/** Tools of servers that the vendor calls: they are removed, and reported where they are named. */
const OF_SERVERS: ReadonlySet<Json | undefined> = new Set(['mcp_tool_reference', 'mcp_toolset_reference']);

/** Names of the tools whose last change is a removal. */
function removedTools(changes: readonly ToolChange[]): ReadonlySet<Json | undefined> {
  const removed = new Set<Json | undefined>();
  for (const { change, at } of changes) {
    const name = changedName(change, at);
    if (name === undefined) continue;
    if (change.type === 'tool_removal') removed.add(name);
    else removed.delete(name);
  }
  return removed;
}

/** Empty for a tool that is removed. Throws a fault for an added tool that the request does not define. */
export function announceChange(change: JsonObject, placed: Placed, { own, left }: KnownTools): TextPart[] {
  const name = changedName(change, placed.at);
  if (name === undefined || left.has(name)) return [];
  const isGone = change.type === 'tool_removal';
  if (!own.has(name)) {
    if (isGone) return [];
    const param = `${placed.at}.tool.name`;
    refuseField(param, `${param} names a tool that is not in this request. Name a tool of this request.`);
  }
  return [announcedPart(name, isGone, placed)];
}

export function announcedPart(name: string, isGone: boolean, placed: Placed): TextPart {
  const announces = { name, isGone };
  return { type: 'text', text: announceTool(announces), announces, ...placed };
}

/** Undefined: it has none by which a model calls it. */
function changedName({ tool }: JsonObject, at: string): string | undefined {
  if (!isObject(tool)) return refuseField(`${at}.tool`, `${at}.tool must be an object.`);
  if (OF_SERVERS.has(tool.type)) return undefined;
  const { definition } = tool;
  if (isObject(definition)) return typeof definition.name === 'string' ? definition.name : undefined;
  return stringAt(tool.name, `${at}.tool.name`);
}
