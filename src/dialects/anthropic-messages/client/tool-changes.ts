// Tools that are added or removed in the middle of a conversation. Other formats have one list for the whole conversation:
// it has the final tools, and text notes in the conversation say where one was added or removed.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import type { TextPart } from '../../translate/conversation.ts';
import { announceTool } from '../../translate/tools/announce-tools.ts';
import type { ToolChange } from '../defined-later.ts';
import type { Placed } from './read-media.ts';

/** Tools of a request by their names. */
export interface KnownTools {
  own: ReadonlySet<string>;
  /** Those that only their vendor runs. */
  left: ReadonlySet<Json | undefined>;
}

/** Tools of servers that the vendor calls: they are removed, and reported where they are named. */
const OF_SERVERS: ReadonlySet<Json | undefined> = new Set(['mcp_tool_reference', 'mcp_toolset_reference']);

/** Names of the tools whose last change is a removal. */
export function removedTools(changes: readonly ToolChange[]): ReadonlySet<Json | undefined> {
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
