// The tools of a Responses request and which of them must be called. Tools of a namespace get one name that says both, and
// tools that only their own vendor runs are left out.

import type { Json, JsonObject } from '../../../kit/json/json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import type { Setting, Tool } from '../../translate/conversation.ts';
import { readCacheMark } from '../../translate/read-cache-mark.ts';
import { listTools, readChoice, readCustom, readFunction } from '../../translate/tools/openai-tools.ts';

/** `left`: tools that only their own vendor runs. */
export function readTools(body: JsonObject, items: readonly JsonObject[]) {
  const byName = new Map<string, Tool>();
  const leftByType = new Map<string, Setting>();
  let leftAt: string | undefined;
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
      leftByType.set(type, { kind: 'other', name: type, value: tool });
      leftAt ??= place;
    }
  };
  add(body.tools, 'tools');
  items.forEach(({ type, tools }, index) => {
    if (type === 'additional_tools' || type === 'tool_search_output') add(tools, `input[${index}].tools`);
  });
  const tools = [...byName.values()];
  const left = [...leftByType.values()];
  const find = createFindTool(tools);
  const choice = body.tool_choice ?? undefined;
  const toolChoice = readChoice({
    tools,
    left,
    leftAt,
    choice,
    at: 'tool_choice',
    list: choice,
    listAt: 'tool_choice.tools',
    namesOf: (tool) => namesOf(tool, find),
  });
  return { tools, toolChoice, left, find };
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

/** The tools that a choice means: one, or all of a namespace. */
function namesOf({ type, name, namespace }: JsonObject, find: FindTool): string[] {
  if (typeof name !== 'string') return [];
  if (type === 'namespace') return find.inside(name).map((tool) => tool.name);
  const isOwn = type === 'function' || type === 'custom' || type === undefined;
  const found = isOwn ? find(name, typeof namespace === 'string' ? namespace : undefined) : undefined;
  return found ? [found.name] : [];
}

/** Finds tools by the client's names. Maps, because a history may have many calls and many tools. */
export interface FindTool {
  /** Without a namespace: a tool outside of namespaces, else the first of that name in any. */
  (name: string, namespace: string | undefined): Tool | undefined;
  /** All of a namespace. */
  inside(namespace: string): readonly Tool[];
}

function createFindTool(tools: readonly Tool[]): FindTool {
  const byName = new Map<string, Tool>();
  const byNamespace = Map.groupBy(tools, ({ shown }) => shown?.namespace);
  const key = (name: string, namespace: string | undefined) => JSON.stringify([name, namespace]);
  // Those outside of namespaces first, because their names stand for themselves.
  for (const tool of [...(byNamespace.get(undefined) ?? []), ...tools]) {
    const { name, namespace } = tool.shown ?? { name: tool.name, namespace: undefined };
    for (const known of [key(name, namespace), key(name, undefined)]) if (!byName.has(known)) byName.set(known, tool);
  }
  const find = (name: string, namespace: string | undefined) => byName.get(key(name, namespace));
  return Object.assign(find, { inside: (namespace: string) => byNamespace.get(namespace) ?? [] });
}
