// Finds the tools of a Responses request by the client's names. Maps, because a history may have many calls and many tools.

import type { Tool } from '../../translate/conversation.ts';

export interface FindTool {
  /** Without a namespace: a tool outside of namespaces, else the first of that name in any. */
  (name: string, namespace: string | undefined): Tool | undefined;
  /** All of a namespace. */
  inside(namespace: string): readonly Tool[];
}

export function createFindTool(tools: readonly Tool[]): FindTool {
  const plain = new Map<string, Tool>();
  const shown = new Map<string, Tool>();
  const byNamespace = new Map<string, Map<string, Tool>>();
  for (const tool of tools) {
    if (!tool.shown) {
      addFirst(plain, tool.name, tool);
      continue;
    }
    const { name, namespace } = tool.shown;
    addFirst(shown, name, tool);
    const inside = byNamespace.get(namespace) ?? new Map<string, Tool>();
    byNamespace.set(namespace, inside);
    addFirst(inside, name, tool);
  }
  const find = (name: string, namespace: string | undefined) =>
    namespace === undefined ? (plain.get(name) ?? shown.get(name)) : byNamespace.get(namespace)?.get(name);
  return Object.assign(find, { inside: (namespace: string) => [...(byNamespace.get(namespace)?.values() ?? [])] });
}

function addFirst(known: Map<string, Tool>, name: string, tool: Tool): void {
  if (!known.has(name)) known.set(name, tool);
}
