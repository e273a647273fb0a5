// Tools that are defined in the messages instead of in `tools`: where one is added in the middle of a conversation, and where a
// compaction tells which were. The upstream runs and bills them as those of `tools`.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { isStringAt } from '../../kit/json/long-strings.ts';
import { refuseField } from '../fields.ts';
import { isLeftTool, type ToolRules } from '../left-tools.ts';
import { refuseModelOf } from '../vendor-tools.ts';

export interface DefinedLater {
  tool: JsonObject;
  at: string;
}

const TELLING: ReadonlySet<Json | undefined> = new Set(['tool_addition', 'compaction']);

export function definedLater({ messages }: JsonObject): DefinedLater[] {
  const found: DefinedLater[] = [];
  if (!Array.isArray(messages)) return found;
  messages.forEach((message, index) => {
    if (!isObject(message) || isStringAt(message, 'content')) return;
    eachObject(message.content, (part, place) => {
      // Most parts are neither: no place is written for them.
      if (!TELLING.has(part.type)) return;
      const at = `messages[${index}].content[${place}]`;
      addDefinition(part, at, found);
      eachObject(part.tool_changes, (change, changed) => {
        addDefinition(change, `${at}.tool_changes[${changed}]`, found);
      });
    });
  });
  return found;
}

/** Others of the conversation may speak of it, so it is not left out, as one of `tools` is. Throws a fault that names a tool. */
export function refuseDefined(defined: readonly DefinedLater[], rules: ToolRules): void {
  const isLeft = isLeftTool(rules);
  for (const { tool, at } of defined) {
    refuseModelOf(tool, at, rules.isClients);
    if (isLeft(tool)) refuseField(at, `Remove ${at}: this model has no ${tool.type}.`);
  }
}

function addDefinition({ type, tool }: JsonObject, at: string, found: DefinedLater[]): void {
  if (type !== 'tool_addition' || !isObject(tool) || !isObject(tool.definition)) return;
  found.push({ tool: tool.definition, at: `${at}.tool.definition` });
}

function eachObject(list: Json | undefined, visit: (item: JsonObject, index: number) => void): void {
  if (!Array.isArray(list)) return;
  list.forEach((item, index) => {
    if (isObject(item)) visit(item, index);
  });
}
