// The tools of a chat request and the tool choice, as `tools` or as the deprecated `functions`.

import { isObject, type JsonObject } from '../../../kit/json/json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import type { Setting, Tool } from '../../translate/conversation.ts';
import { readCacheMark } from '../../translate/read-cache-mark.ts';
import { listTools, readChoice, readCustom, readFunction } from '../../translate/tools/openai-tools.ts';

/** The request uses the deprecated `functions`, and so must its answer. */
export function usesFunctions(body: JsonObject): boolean {
  return Array.isArray(body.functions) && !Array.isArray(body.tools);
}

/** `left`: tools that only their own vendor runs. */
export function readTools(body: JsonObject) {
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
  const known = namesIn(tools);
  const choice = body.tool_choice ?? body.function_call ?? undefined;
  const at = body.tool_choice ? 'tool_choice' : 'function_call';
  const toolChoice = readChoice({
    tools,
    left,
    leftAt: 'tools[0]',
    choice,
    at,
    list: isObject(choice) && isObject(choice.allowed_tools) ? choice.allowed_tools : choice,
    listAt: `${at}.allowed_tools.tools`,
    namesOf(tool) {
      const name = nameOf(tool);
      return typeof name === 'string' && known.has(name) ? [name] : [];
    },
  });
  return { tools, toolChoice, left };
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

/** Refuses duplicates. */
function namesIn(tools: readonly Tool[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { name, at } of tools) {
    if (names.has(name)) refuseField(at, `Another tool is also named ${name}. Give ${at} a different name.`);
    names.add(name);
  }
  return names;
}

/** A deprecated function has no type. */
function nameOf({ function: called, custom, name }: JsonObject) {
  if (isObject(called)) return called.name;
  return isObject(custom) ? custom.name : name;
}
