// The OpenAI chat format as an upstream's, for clients of any other. A request is written by write-conversation.ts: text
// and calls of tools in write-messages.ts, the rest in the other write-… files. An answer is read by read-events.ts, as a
// stream or whole: what a delta says in read-delta.ts, which call it is of in call-slots.ts.

import type { UpstreamAdapter } from '../../translate/adapters.ts';
import { writeAsStream } from '../other-form.ts';
import { createEventReader, readWhole } from './read-events.ts';
import { writeConversation } from './write-conversation.ts';

export const openaiChatUpstream: UpstreamAdapter = {
  takesInside: ['document'],
  writeConversation,
  createEventReader,
  readWhole,
  writeAsStream,
};
