// The tools of a chat request and the tool choice, as `tools` or as the deprecated `functions`.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { objectList, refuseField, stringAt } from '../../fields.ts';
import { refuseOnlyTool } from '../../input/vendor-tools.ts';
import type { Setting, Tool, ToolChoice } from '../../translate/conversation.ts';
import { readCacheMark } from '../../translate/read-cache-mark.ts';
import { CHOICE_MODES, listTools, readCustom, readFunction } from '../../translate/tools/openai-tools.ts';

interface ChatTools {
  tools: Tool[];
  toolChoice: ToolChoice | undefined;
  /** Tools that only their own vendor runs. */
  left: Setting[];
}

/** The request uses the deprecated `functions`, and so must its answer. */
export function usesFunctions(body: JsonObject): boolean {
  return Array.isArray(body.functions) && !Array.isArray(body.tools);
}

export function readTools(body: JsonObject): ChatTools {
  const tools: Tool[] = [];
  const left: Setting[] = [];
  listTools(body.tools, 'tools').forEach((tool, index) => {
    const read = readTool(tool, `tools[${index}]`);
    if (read) tools.push(read);
    else left.push({ kind: 'other', name: stringAt(tool.type, `tools[${index}].type`), value: tool });
  });
  listTools(body.functions, 'functions').forEach((fields, index) => {
    tools.push(readFunction(fields, `functions[${index}]`));
  });
  refuseDuplicates(tools);
  const choice = body.tool_choice ?? body.function_call ?? undefined;
  const toolChoice = readChoice(choice, body.tool_choice ? 'tool_choice' : 'function_call', tools, left);
  const [first] = left;
  if (first && tools.length === 0 && choice !== 'none') refuseOnlyTool(first.name, 'tools[0]');
  return { tools, toolChoice: tools.length > 0 ? toolChoice : undefined, left };
}

function readTool(tool: JsonObject, at: string): Tool | undefined {
  if (isObject(tool.custom)) return { ...readCustom(tool.custom, `${at}.custom`), ...readCacheMark(tool) };
  if (!isObject(tool.function)) {
    if (tool.type === 'function' || tool.type === 'custom')
      refuseField(`${at}.${tool.type}`, `${at}.${tool.type} is missing. Set it to an object.`);
    return undefined;
  }
  return { ...readFunction(tool.function, `${at}.function`), ...readCacheMark(tool.function), ...readCacheMark(tool) };
}

function optionalText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function refuseDuplicates(tools: readonly Tool[]): void {
  const seen = new Set<string>();
  for (const { name, at } of tools) {
    if (seen.has(name)) refuseField(at, `Another tool is also named ${name}. Give ${at} a different name.`);
    seen.add(name);
  }
}

function readChoice(
  choice: Json | undefined,
  at: string,
  tools: readonly Tool[],
  left: readonly Setting[],
): ToolChoice | undefined {
  if (choice === undefined) return undefined;
  const mode = CHOICE_MODES.get(choice);
  if (mode) {
    if (mode === 'any' && tools.length === 0)
      refuseField(at, `${at} needs a tool, and the request has none of its own. Add one, or remove ${at}.`);
    return { mode };
  }
  if (!isObject(choice)) return refuseField(at, `${at} must be none, auto, required or a tool.`);
  if (choice.type === 'allowed_tools') return readAllowed(choice, at, tools, left);
  const name = nameOf(choice);
  if (name === undefined || !tools.some((tool) => tool.name === name)) {
    return refuseField(at, `${at} names a tool that this model cannot call. Name a tool of your own.`);
  }
  return { mode: 'tool', name };
}

function readAllowed(choice: JsonObject, at: string, tools: readonly Tool[], left: readonly Setting[]): ToolChoice {
  const inner = isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  const place = `${at}.allowed_tools.tools`;
  const list = objectList(inner.tools, place);
  const known = new Set(tools.map(({ name }) => name));
  const leftTypes = new Set<Json | undefined>(left.map(({ name }) => name));
  const allowed = list.flatMap((tool, index) => {
    const name = nameOf(tool);
    if (name !== undefined && known.has(name)) return [name];
    // It is reported as dropped already.
    if (leftTypes.has(tool.type)) return [];
    return refuseField(
      `${place}[${index}]`,
      `${at} names a tool that is not in this request. Name only tools of this request.`,
    );
  });
  const mode = inner.mode === 'required' ? 'any' : 'auto';
  if (allowed.length > 0) return { mode, allowed };
  if (mode === 'any') refuseField(at, `Allow at least one tool of your own in ${at}.`);
  return refuseOnlyTool(stringAt(list[0]?.type, `${place}[0].type`), `${place}[0]`);
}

/** Reads a tool, or a deprecated function, which has no type. */
function nameOf({ function: called, custom, name }: JsonObject): string | undefined {
  const fields = isObject(called) ? called : isObject(custom) ? custom : { name };
  return optionalText(fields.name);
}
