// The OpenAI chat format as a client's, for upstreams of any other. A request is read by read-conversation.ts and the
// read-… files beside it. An answer is written by write-events.ts, as a stream or whole: what each chunk adds in
// write-deltas.ts, calls of tools in write-calls.ts, thoughts in write-reasoning.ts.

import { isObject } from '../../../kit/json/json.ts';
import type { ClientAdapter } from '../../translate/adapters.ts';
import type { AnswerEvent } from '../../translate/answer-events.ts';
import { readConversation } from './read-conversation.ts';
import { usesFunctions } from './read-tools.ts';
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
