// Tools that are defined in the messages: added or removed in the middle of a conversation, or listed by a compaction. The
// upstream runs and bills them like those of `tools`.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { refuseField } from '../fields.ts';
import { refuseModelOf } from '../input/vendor-tools.ts';
import { isRemovedTool, type ToolRules } from '../removals/remove-tools.ts';

/** A `tool_addition` or a `tool_removal`. */
export interface ToolChange {
  change: JsonObject;
  at: string;
}

export interface PlacedTool {
  tool: JsonObject;
  at: string;
}

const CHANGES: ReadonlySet<Json | undefined> = new Set(['tool_addition', 'tool_removal']);

/** In their order. */
export function toolChanges({ messages }: JsonObject): readonly ToolChange[] {
  const found: ToolChange[] = [];
  if (!Array.isArray(messages)) return found;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (isObject(message)) findChanges(message.content, index, found);
  }
  return found;
}

function findChanges(content: Json | undefined, message: number, found: ToolChange[]): void {
  if (!Array.isArray(content)) return;
  for (let place = 0; place < content.length; place++) {
    const part = content[place];
    if (!isObject(part)) continue;
    // The place is written only for changes, because most parts are none.
    if (CHANGES.has(part.type)) found.push({ change: part, at: `messages[${message}].content[${place}]` });
    if (part.type === 'compaction') findCompacted(part, `messages[${message}].content[${place}].tool_changes`, found);
  }
}

function findCompacted({ tool_changes: changes }: JsonObject, at: string, found: ToolChange[]): void {
  if (!Array.isArray(changes)) return;
  changes.forEach((change, index) => {
    if (isObject(change) && CHANGES.has(change.type)) found.push({ change, at: `${at}[${index}]` });
  });
}

export function definedLater(changes: readonly ToolChange[]): readonly PlacedTool[] {
  return changes.flatMap(({ change: { type, tool }, at }) => {
    if (type !== 'tool_addition' || !isObject(tool) || !isObject(tool.definition)) return [];
    return [{ tool: tool.definition, at: `${at}.tool.definition` }];
  });
}

/** Refuses such a tool instead of removing it, because messages may refer to it. Throws a fault that names the tool. */
export function refuseDefined(defined: readonly PlacedTool[], rules: ToolRules): void {
  const isRemoved = isRemovedTool(rules);
  for (const { tool, at } of defined) {
    refuseModelOf(tool, at, rules.isClients);
    if (isRemoved(tool)) refuseField(at, `This model has no tool ${tool.type}. Remove ${at}.`);
  }
}
