// The Responses format as an upstream's, for clients of any other. A request is written by write-conversation.ts: text and
// calls of tools in write-turns.ts, tools and settings in write-settings.ts. An answer is read by read-events.ts, as a
// stream or whole, with the help of the same dialect's reader one folder up: which item an event is of in item-places.ts.

import type { UpstreamAdapter } from '../../translate/adapters.ts';
import { writeAsStream } from '../other-form.ts';
import { createEventReader, readWhole } from './read-events.ts';
import { writeConversation } from './write-conversation.ts';

export const openaiResponsesUpstream: UpstreamAdapter = {
  takesInside: [],
  writeConversation,
  createEventReader,
  readWhole,
  writeAsStream,
};
