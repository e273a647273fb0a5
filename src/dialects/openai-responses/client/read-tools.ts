// The tools of a Responses request and which of them must be called. Tools of a namespace get one name that says both, and
// tools that only their own vendor runs are left out, unless they are what is asked for, or all that there is.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { objectList, refuseField, stringAt } from '../../fields.ts';
import { refuseOnlyTool } from '../../input/vendor-tools.ts';
import type { Setting, Tool, ToolChoice } from '../../translate/conversation.ts';
import { readCacheMark } from '../../translate/read-cache-mark.ts';
import { CHOICE_MODES, listTools, readCustom, readFunction } from '../../translate/tools/openai-tools.ts';
import { createFindTool, type FindTool } from './find-tool.ts';

interface ResponseTools {
  tools: Tool[];
  toolChoice: ToolChoice | undefined;
  /** Tools that only their own vendor runs. */
  left: Setting[];
}

export function readTools(body: JsonObject, items: readonly JsonObject[]): ResponseTools {
  const byName = new Map<string, Tool>();
  const left = new Map<string, Setting>();
  let first: { type: string; at: string } | undefined;
  const add = (list: Json | undefined, at: string) => {
    for (const [index, tool] of listTools(list, at).entries()) {
      const place = `${at}[${index}]`;
      const read = readTool(tool, place);
      for (const one of read ?? []) {
        const known = byName.get(one.name);
        if (known && known.shown?.namespace !== one.shown?.namespace) {
          refuseField(one.at, `Rename ${one.at}: another tool is called ${one.name} on this model.`);
        }
        // A tool that is defined again, later in the history, is the one that counts.
        byName.set(one.name, one);
      }
      const type = stringAt(tool.type, `${place}.type`);
      if (read) continue;
      left.set(type, { kind: 'other', name: type, value: tool });
      first ??= { type, at: place };
    }
  };
  add(body.tools, 'tools');
  items.forEach(({ type, tools }, index) => {
    if (type === 'additional_tools' || type === 'tool_search_output') add(tools, `input[${index}].tools`);
  });
  const tools = [...byName.values()];
  const toolChoice = readChoice(body.tool_choice ?? undefined, tools, left);
  if (first && tools.length === 0 && body.tool_choice !== 'none') refuseOnlyTool(first.type, first.at);
  return { tools, toolChoice: tools.length > 0 ? toolChoice : undefined, left: [...left.values()] };
}

/** One name for a tool of a namespace. */
export function flatName(name: string, namespace: string | undefined): string {
  return namespace === undefined ? name : `${namespace}__${name}`;
}

/** Undefined for one that is not the client's own. */
function readTool(tool: JsonObject, at: string): Tool[] | undefined {
  switch (tool.type) {
    case 'function':
      return [Object.assign(readFunction(tool, at), readCacheMark(tool))];
    case 'custom':
      return [Object.assign(readCustom(tool, at), readCacheMark(tool))];
    case 'namespace':
      return readNamespace(tool, at);
    default:
      return undefined;
  }
}

function readNamespace({ name, description, tools }: JsonObject, at: string): Tool[] {
  const namespace = stringAt(name, `${at}.name`);
  const about = typeof description === 'string' && description !== '' ? [`${namespace}: ${description}`] : [];
  return listTools(tools, `${at}.tools`).flatMap((inner, index) => {
    const place = `${at}.tools[${index}]`;
    const read = readTool(inner, place);
    if (!read || inner.type === 'namespace') return refuseField(place, `${place} must be a function or a custom tool.`);
    return read.map((tool) => ({
      ...tool,
      name: flatName(tool.name, namespace),
      description: [...(tool.description === undefined ? [] : [tool.description]), ...about].join('\n\n') || undefined,
      shown: { namespace, name: tool.name },
    }));
  });
}

function readChoice(
  choice: Json | undefined,
  tools: readonly Tool[],
  left: ReadonlyMap<string, Setting>,
): ToolChoice | undefined {
  if (choice === undefined) return undefined;
  const mode = CHOICE_MODES.get(choice);
  if (mode === 'any' && tools.length === 0) {
    refuseField(
      'tool_choice',
      'tool_choice needs a tool, and the request has none of its own. Add one, or remove tool_choice.',
    );
  }
  if (mode) return { mode };
  if (!isObject(choice)) return refuseField('tool_choice', 'tool_choice must be none, auto, required or a tool.');
  if (choice.type === 'allowed_tools') return readAllowed(choice, tools, left);
  const [name] = namesOf(choice, createFindTool(tools));
  if (name === undefined) {
    const message = 'tool_choice names a tool that this model cannot call. Name a tool of your own.';
    return refuseField('tool_choice', message);
  }
  return { mode: 'tool', name };
}

function readAllowed(choice: JsonObject, tools: readonly Tool[], left: ReadonlyMap<string, Setting>): ToolChoice {
  const list = objectList(choice.tools, 'tool_choice.tools');
  const find = createFindTool(tools);
  const allowed = new Set<string>();
  const namespaces = new Set<Json | undefined>();
  for (const [index, tool] of list.entries()) {
    // Each has many tools, and may be named many times.
    if (tool.type === 'namespace' && namespaces.has(tool.name)) continue;
    if (tool.type === 'namespace') namespaces.add(tool.name);
    const names = namesOf(tool, find);
    // One of the vendor's own is reported as dropped already.
    if (names.length === 0 && !(typeof tool.type === 'string' && left.has(tool.type))) {
      refuseField(
        `tool_choice.tools[${index}]`,
        'tool_choice names a tool that is not in this request. Name only tools of this request.',
      );
    }
    for (const name of names) allowed.add(name);
  }
  if (allowed.size > 0) return { mode: choice.mode === 'required' ? 'any' : 'auto', allowed: [...allowed] };
  if (choice.mode === 'required') {
    refuseField('tool_choice', 'Allow at least one tool of your own in tool_choice.');
  }
  return refuseOnlyTool(stringAt(list[0]?.type, 'tool_choice.tools[0].type'), 'tool_choice.tools[0]');
}

/** The tools that a choice means: one, or all of a namespace. */
function namesOf({ type, name, namespace }: JsonObject, find: FindTool): string[] {
  if (typeof name !== 'string') return [];
  if (type === 'namespace') return find.inside(name).map((tool) => tool.name);
  const isOwn = type === 'function' || type === 'custom' || type === undefined;
  const found = isOwn ? find(name, typeof namespace === 'string' ? namespace : undefined) : undefined;
  return found ? [found.name] : [];
}
