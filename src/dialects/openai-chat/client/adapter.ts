// The OpenAI chat format as a client's, for upstreams of any other. A request is read here and by the read-… files beside it. An
// answer is written by write-events.ts, as a stream or whole.

import { isObject, type JsonDocument, type JsonObject } from '../../../kit/json/json.ts';
import { openMember } from '../../../kit/json/raw-json.ts';
import { objectList } from '../../fields.ts';
import type { ClientAdapter } from '../../translate/adapters.ts';
import type { AnswerEvent } from '../../translate/answer-events.ts';
import type { Conversation, Setting } from '../../translate/conversation.ts';
import { readCaching } from '../../translate/read-cache-mark.ts';
import { readParallel } from '../../translate/tools/openai-tools.ts';
import { readMessages } from './read-messages.ts';
import { readFormat, readReasoningWish, readSettings, wantsThoughts } from './read-settings.ts';
import { readTools, usesFunctions } from './read-tools.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const openaiChatClient: ClientAdapter = {
  readConversation,
  createEventWriter,
  writeWhole,
  hidesThoughts: (body) => isObject(body.reasoning) && body.reasoning.exclude === true,
  // A client that uses `functions` can receive only one call.
  findLost: (events, { asked }) => (usesFunctions(asked.value) && countCalls(events) > 1 ? ['function_call'] : []),
};

function countCalls(events: readonly AnswerEvent[]): number {
  return events.filter((event) => event.type === 'open' && event.block.kind === 'tool').length;
}

function readConversation(document: JsonDocument): Conversation {
  const { value: body } = document;
  const messages = objectList(body.messages, 'messages');
  const { tools, toolChoice, left } = readTools(body);
  return {
    ...readMessages(messages, openMember(document, 'messages')),
    tools,
    toolChoice,
    parallelTools: tools.length > 0 ? readCallsAtOnce(body) : undefined,
    toolChoiceName: body.tool_choice ? undefined : 'function_call',
    parallelToolsName: usesFunctions(body) ? undefined : 'parallel_tool_calls',
    reasoning: readReasoningWish(body),
    showsThoughts: wantsThoughts(body),
    format: readFormat(body),
    caching: readCaching(body),
    settings: [...readSettings(body), ...left, ...readNames(messages)],
  };
}

function readCallsAtOnce(body: JsonObject): boolean | undefined {
  return usesFunctions(body) ? false : readParallel(body);
}

/** Other formats have no speaker names: they are reported as dropped. */
function readNames(messages: readonly JsonObject[]): Setting[] {
  const named = messages.find(
    ({ role, name }) => (role === 'user' || role === 'assistant') && typeof name === 'string',
  );
  return named ? [{ kind: 'other', name: 'name', value: named.name ?? null }] : [];
}
