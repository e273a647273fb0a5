// Tools that are removed where the client's own text goes through. On every model: tools that make images, because the image
// model is not part of the bill, and tools without a type. On a free model: all that the upstream runs itself. As in a
// translation, such a tool is removed beside others, and refused if it must be called or is the only one.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, type RawEdit, remove, setTo } from '../../kit/json/raw-edit.ts';
import { refuseField } from '../fields.ts';
import { type IsClients, makesImages, refuseModelsOf } from '../input/vendor-tools.ts';
import { foldName, NO_REMOVALS, type Removals } from './removals.ts';

export type IsRemoved = (tool: Json) => boolean;

export interface ToolRules {
  /** Recognizes tools that the client runs, in its dialect. */
  isClients: IsClients;
  /** The model costs nothing. */
  isFree: boolean;
}

export function isRemovedTool({ isClients, isFree }: ToolRules): IsRemoved {
  return (tool) => {
    if (!isObject(tool)) return false;
    if (hiddenTool(tool) !== undefined) return true;
    // Without a type, a tool that is no function is the upstream's own. The input that it brings is unknown.
    if (typeof tool.type !== 'string') return !isFunction(tool);
    return !isClients(tool.type, tool) && (isFree || makesImages(tool.type));
  };
}

/** Messages have functions without a type, and some clients of chat leave it out. */
function isFunction({ name, function: called }: JsonObject): boolean {
  return typeof name === 'string' || isObject(called);
}

/** Members of functions that clients define. */
const FUNCTION_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'function', 'name', 'description', 'parameters', 'strict', 'input_schema', 'custom', 'format'],
  ...['cache_control', 'defer_loading', 'allowed_callers', 'input_examples', 'eager_input_streaming', 'tools'],
]);

/** Gemini names its own tools by a member; variants of `type` and `tools` may be read as these members. Folded. */
const HIDDEN_TOOLS: ReadonlySet<string> = new Set(
  [
    ...['type', 'google_search', 'google_search_retrieval', 'enterprise_web_search', 'google_maps', 'url_context'],
    ...['code_execution', 'computer_use', 'file_search', 'tools'],
  ].map(foldName),
);

/** The member that makes a tool an upstream's own, whatever else it is. */
function hiddenTool(tool: JsonObject): string | undefined {
  for (const name in tool) {
    if (!FUNCTION_MEMBERS.has(name) && HIDDEN_TOOLS.has(foldName(name))) return name;
  }
  return undefined;
}

function kindOf(tool: JsonObject): string {
  const hidden = hiddenTool(tool);
  if (hidden !== undefined) return hidden;
  return typeof tool.type === 'string' ? tool.type : (Object.keys(tool)[0] ?? 'tool');
}

/** A list of tools in a body, and its place. */
export interface ToolList {
  tools: Json | undefined;
  at: string;
}

const NO_LISTS: readonly ToolList[] = [];

/** `further`: lists beside `tools`, which are the caller's to edit. Throws a fault that names a tool. */
export function removeTools(body: JsonObject, rules: ToolRules, further = NO_LISTS): Removals {
  const { tools, tool_choice: choice } = body;
  if (!Array.isArray(tools) && further.length === 0) return NO_REMOVALS;
  const lists = [{ tools, at: 'tools' }, ...further];
  for (const list of lists) {
    refuseModelsOf(list.tools, list.at, rules.isClients);
    refuseNested(list, rules.isClients);
  }
  const isRemoved = isRemovedTool(rules);
  // Checked first, because most requests have nothing to remove.
  if (!lists.some((list) => Array.isArray(list.tools) && list.tools.some(isRemoved))) return NO_REMOVALS;
  const all = lists.flatMap(placed);
  const left = all.filter(({ tool }) => isRemoved(tool));
  const [first] = left;
  const isLast = left.length === all.length;
  const isNone = choice === 'none' || (isObject(choice) && choice.type === 'none');
  if (first && isLast && !isNone) refuseOnly(first.type, first.at);
  const forced = left.find(({ tool }) => isChosen(choice, tool));
  if (forced) {
    refuseField(forced.at, `This model has no tool ${forced.type}. Remove ${forced.at}, or do not force it.`);
  }
  const names = left.map(({ type }) => type);
  const types = new Set(names);
  const editChoice = isLast ? remove : editAllowed(choice, isAnyChosen(left, types));
  return {
    names,
    // Without tools, upstreams refuse settings for them.
    edits: {
      tools: editTools(tools, isRemoved, (tool) => editCallers(tool, types)),
      tool_choice: editChoice,
      parallel_tool_calls: isLast ? remove : undefined,
    },
  };
}

/** A tool that the client runs, such as a namespace, may have tools of its own: the upstream must not run one of these. */
function refuseNested({ tools, at }: ToolList, isClients: IsClients): void {
  if (!Array.isArray(tools)) return;
  for (let index = 0; index < tools.length; index++) {
    const tool = tools[index];
    if (!isObject(tool) || !Array.isArray(tool.tools)) continue;
    if (typeof tool.type !== 'string' || isClients(tool.type, tool)) {
      refuseVendors({ tools: tool.tools, at: `${at}[${index}].tools` }, isClients);
    }
  }
}

function refuseVendors(list: ToolList, isClients: IsClients): void {
  const isVendors = isRemovedTool({ isClients, isFree: true });
  const found = placed(list).find(({ tool }) => isVendors(tool));
  if (found)
    refuseField(
      found.at,
      `${found.at} (${found.type}) is inside another tool, which may only hold tools that you run. Move it to tools.`,
    );
  refuseNested(list, isClients);
}

/** A list that becomes empty is removed itself. */
export function editTools(
  tools: Json | undefined,
  isRemoved: IsRemoved,
  editKept?: (tool: JsonObject) => RawEdit | undefined,
): RawEdit | undefined {
  const isNothing = Array.isArray(tools) && tools.length > 0 && tools.every(isRemoved);
  return isNothing ? remove : editItems(tools, (tool) => (isRemoved(tool) ? remove : editKept?.(tool)));
}

/** Upstreams refuse a caller that is not among the tools. Without `allowed_callers` the model itself calls the tool. */
function editCallers({ allowed_callers: callers }: JsonObject, left: ReadonlySet<string>): RawEdit | undefined {
  if (!Array.isArray(callers)) return undefined;
  const kept = callers.filter((caller) => typeof caller !== 'string' || !left.has(caller));
  if (kept.length === callers.length) return undefined;
  return editFields({ allowed_callers: kept.length === 0 ? remove : setTo(kept) });
}

function placed({ tools, at }: ToolList): { tool: Json; type: string; at: string }[] {
  if (!Array.isArray(tools)) return [];
  return tools.map((tool, index) => ({
    tool,
    type: isObject(tool) ? kindOf(tool) : '',
    at: `${at}[${index}]`,
  }));
}

/** A choice names a tool by its type, or by its name. */
function isChosen(choice: Json | undefined, tool: Json): boolean {
  if (!isObject(choice) || !isObject(tool)) return false;
  const name = nameOf(choice);
  return choice.type === tool.type || (name !== undefined && name === nameOf(tool));
}

/** As above, of many tools at once: a choice may list as many as there are. */
function isAnyChosen(left: readonly { tool: Json }[], types: ReadonlySet<Json | undefined>): IsRemoved {
  const names = new Set(left.map(({ tool }) => (isObject(tool) ? nameOf(tool) : undefined)));
  names.delete(undefined);
  return (choice) => isObject(choice) && (types.has(choice.type) || names.has(nameOf(choice)));
}

function nameOf({ name, function: called }: JsonObject): Json | undefined {
  return isObject(called) ? called.name : name;
}

/** Filters a choice that lists the allowed tools. */
function editAllowed(choice: Json | undefined, isRemoved: IsRemoved): RawEdit | undefined {
  if (!isObject(choice) || choice.type !== 'allowed_tools') return undefined;
  const { allowed_tools: inner } = choice;
  const tools = isObject(inner) ? inner.tools : choice.tools;
  const edit = editTools(tools, isRemoved);
  if (edit === remove) {
    const at = isObject(inner) ? 'tool_choice.allowed_tools.tools[0]' : 'tool_choice.tools[0]';
    refuseOnly(placed({ tools, at })[0]?.type ?? '', at);
  }
  return isObject(inner) ? editFields({ allowed_tools: editFields({ tools: edit }) }) : editFields({ tools: edit });
}

function refuseOnly(type: string, at: string): never {
  refuseField(at, `This model has no tool ${type}, and the request has no other tool to call. Remove ${at}.`);
}
