// The Anthropic messages format as an upstream's, for clients of any other. A request is written by write-conversation.ts:
// words and calls of tools in write-turns.ts, the rest in the other write-… files. An answer is read by read-events.ts as a
// stream, by read-whole.ts as a whole; the blocks of both in read-answer-blocks.ts, an answer of several turns in
// paused-turn.ts.

import type { UpstreamSide } from '../../translate/sides.ts';
import { writeAsStream } from '../other-form.ts';
import { joinTurns, readPaused } from './paused-turn.ts';
import { createEventReader } from './read-events.ts';
import { readWhole } from './read-whole.ts';
import { writeConversation } from './write-conversation.ts';

export const anthropicMessagesUpstream: UpstreamSide = {
  takesInside: [],
  writeConversation,
  createEventReader,
  readWhole,
  writeAsStream,
  turns: { readPaused, joinTurns },
};
