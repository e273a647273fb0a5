// The Anthropic messages format as an upstream's, for clients of any other. A request is written by write-conversation.ts:
// text and calls of tools in write-turns.ts, the rest in the other write-… files. An answer is read by read-events.ts as a
// stream, by read-whole.ts as a whole; the blocks of both in read-answer-blocks.ts. paused-turn.ts and read-turn.ts are for
// answers of several turns.

import type { UpstreamAdapter } from '../../translate/adapters.ts';
import { writeAsStream } from '../other-form.ts';
import { createEventReader, mayBePaused, readTurn, readWhole } from './read-events.ts';
import { writeConversation } from './write-conversation.ts';

export const anthropicMessagesUpstream: UpstreamAdapter = {
  takesInside: [],
  writeConversation,
  createEventReader,
  readWhole,
  writeAsStream,
  turns: { mayBePaused, readTurn },
};
