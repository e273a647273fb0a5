// Chat clients of models that are reached in another format.

import type { AnswerEvent } from '../translate/answer-events.ts';
import type { ClientSide } from '../translate/sides.ts';
import { readConversation } from './read-conversation.ts';
import { usesFunctions } from './read-tools.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const openaiChatClient: ClientSide = {
  readConversation,
  createEventWriter,
  writeWhole,
  // Who asks by `functions` has room for one call only.
  findLost: (events, { asked }) => (usesFunctions(asked.value) && countCalls(events) > 1 ? ['function_call'] : []),
};

function countCalls(events: readonly AnswerEvent[]): number {
  return events.filter((event) => event.type === 'open' && event.block.kind === 'tool').length;
}
