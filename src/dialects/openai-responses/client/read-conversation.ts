// A Responses request, for a model that is reached in another format.

import type { JsonDocument, JsonObject } from '../../../kit/json/json.ts';
import { objectList, optionalFlag, stringAt } from '../../fields.ts';
import type { Conversation, TextPart } from '../../translate/conversation.ts';
import { readCaching } from '../../translate/read-cache-mark.ts';
import { readItems } from './read-items.ts';
import { readFormat, readReasoningWish, readSettings, wantsSummary } from './read-settings.ts';
import { readTools } from './read-tools.ts';

export function readConversation({ value: body }: JsonDocument): Conversation {
  const items = listItems(body);
  const { tools, toolChoice, left } = readTools(body, items);
  const { system, turns, leftOut } = readItems(items, tools);
  return {
    system: [...readInstructions(body), ...system],
    turns,
    tools,
    toolChoice,
    parallelTools: tools.length > 0 ? readParallel(body) : undefined,
    parallelToolsName: 'parallel_tool_calls',
    reasoning: readReasoningWish(body),
    showsThoughts: wantsSummary(body),
    format: readFormat(body),
    caching: readCaching(body),
    settings: [...readSettings(body), ...left, ...leftOut],
  };
}

/** A text is one message of the user's. */
function listItems({ input }: JsonObject): readonly JsonObject[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objectList(input, 'input');
}

function readInstructions({ instructions }: JsonObject): TextPart[] {
  if (instructions === undefined || instructions === null) return [];
  const text = stringAt(instructions, 'instructions');
  return text === '' ? [] : [{ type: 'text', text, at: 'instructions' }];
}

function readParallel(body: JsonObject): boolean | undefined {
  const given = body.parallel_tool_calls;
  return given === undefined || given === null ? undefined : optionalFlag(body, 'parallel_tool_calls');
}
