// A chat request, for a model that is reached in another format.

import type { JsonDocument, JsonObject } from '../../../kit/json/json.ts';
import { openMember } from '../../../kit/json/raw-json.ts';
import { objectList, optionalFlag } from '../../fields.ts';
import type { Conversation, Setting } from '../../translate/conversation.ts';
import { readCaching } from '../../translate/read-cache-mark.ts';
import { readMessages } from './read-messages.ts';
import { readFormat, readReasoningWish, readSettings, wantsThoughts } from './read-settings.ts';
import { readTools, usesFunctions } from './read-tools.ts';

export function readConversation(document: JsonDocument): Conversation {
  const { value: body } = document;
  const messages = objectList(body.messages, 'messages');
  const { tools, toolChoice, left } = readTools(body);
  return {
    ...readMessages(messages, openMember(document, 'messages')),
    tools,
    toolChoice,
    parallelTools: tools.length > 0 ? readParallel(body) : undefined,
    toolChoiceName: body.tool_choice ? undefined : 'function_call',
    parallelToolsName: usesFunctions(body) ? undefined : 'parallel_tool_calls',
    reasoning: readReasoningWish(body),
    showsThoughts: wantsThoughts(body),
    format: readFormat(body),
    caching: readCaching(body),
    settings: [...readSettings(body), ...left, ...readNames(messages)],
  };
}

/** A client that uses `functions` can receive only one call. */
function readParallel(body: JsonObject): boolean | undefined {
  if (usesFunctions(body)) return false;
  const given = body.parallel_tool_calls;
  return given === undefined || given === null ? undefined : optionalFlag(body, 'parallel_tool_calls');
}

/** Other formats have no speaker names: they are reported as dropped. */
function readNames(messages: readonly JsonObject[]): Setting[] {
  const named = messages.find(
    ({ role, name }) => (role === 'user' || role === 'assistant') && typeof name === 'string',
  );
  return named ? [{ kind: 'other', name: 'name', value: named.name ?? null }] : [];
}
