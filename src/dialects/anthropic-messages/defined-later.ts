// Tools that come and go in the messages: where one is added or removed in the middle of a conversation, and where a
// compaction tells which were. Those that are defined there the upstream runs and bills as those of `tools`.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { isStringAt } from '../../kit/json/long-strings.ts';
import { refuseField } from '../fields.ts';
import { refuseModelOf } from '../input/vendor-tools.ts';
import { isLeftTool, type ToolRules } from '../left-behind/left-tools.ts';

/** A `tool_addition` or a `tool_removal`. */
export interface ToolChange {
  change: JsonObject;
  at: string;
}

export interface DefinedLater {
  tool: JsonObject;
  at: string;
}

const CHANGES: ReadonlySet<Json | undefined> = new Set(['tool_addition', 'tool_removal']);

/** In their order. */
export function toolChanges({ messages }: JsonObject): ToolChange[] {
  const found: ToolChange[] = [];
  if (!Array.isArray(messages)) return found;
  messages.forEach((message, index) => {
    if (!isObject(message) || isStringAt(message, 'content')) return;
    eachObject(message.content, (part, place) => {
      // Most parts are neither: no place is written for them.
      if (CHANGES.has(part.type)) found.push({ change: part, at: `messages[${index}].content[${place}]` });
      if (part.type !== 'compaction') return;
      eachObject(part.tool_changes, (change, changed) => {
        if (!CHANGES.has(change.type)) return;
        found.push({ change, at: `messages[${index}].content[${place}].tool_changes[${changed}]` });
      });
    });
  });
  return found;
}

export function definedLater(changes: readonly ToolChange[]): DefinedLater[] {
  return changes.flatMap(({ change: { type, tool }, at }) => {
    if (type !== 'tool_addition' || !isObject(tool) || !isObject(tool.definition)) return [];
    return [{ tool: tool.definition, at: `${at}.tool.definition` }];
  });
}

/** Others of the conversation may speak of it, so it is not left out, as one of `tools` is. Throws a fault that names a tool. */
export function refuseDefined(defined: readonly DefinedLater[], rules: ToolRules): void {
  const isLeft = isLeftTool(rules);
  for (const { tool, at } of defined) {
    refuseModelOf(tool, at, rules.isClients);
    if (isLeft(tool)) refuseField(at, `Remove ${at}: this model has no ${tool.type}.`);
  }
}

function eachObject(list: Json | undefined, visit: (item: JsonObject, index: number) => void): void {
  if (!Array.isArray(list)) return;
  list.forEach((item, index) => {
    if (isObject(item)) visit(item, index);
  });
}
