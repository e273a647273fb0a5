// The Responses format as a client's, for upstreams of any other. A request is read here and by the read-… files beside it. An
// answer is written by write-events.ts, as a stream or whole, and its items by write-items.ts.

import type { JsonDocument, JsonObject } from '../../../kit/json/json.ts';
import { objectList, stringAt } from '../../fields.ts';
import type { ClientAdapter } from '../../translate/adapters.ts';
import type { Conversation, TextPart } from '../../translate/conversation.ts';
import { readCaching } from '../../translate/read-cache-mark.ts';
import { readParallel } from '../../translate/tools/openai-tools.ts';
import { readItems } from './read-items.ts';
import { readFormat, readReasoningWish, readSettings, wantsSummary } from './read-settings.ts';
import { readTools } from './read-tools.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const openaiResponsesClient: ClientAdapter = { readConversation, createEventWriter, writeWhole };

function readConversation({ value: body }: JsonDocument): Conversation {
  const items = listItems(body);
  const { tools, toolChoice, left, find } = readTools(body, items);
  const { system, turns, leftOut } = readItems(items, find);
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
