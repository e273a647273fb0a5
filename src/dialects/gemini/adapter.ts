// Gemini as an upstream of clients that speak other dialects.

import { writeSse } from '../stream/sse.ts';
import type { UpstreamAdapter } from '../translate/adapters.ts';
import { createEventReader, readWhole } from './read-events.ts';
import { writeConversation } from './write-conversation.ts';

export const geminiUpstream: UpstreamAdapter = {
  takesInside: ['image', 'document'],
  writeConversation,
  createEventReader,
  readWhole,
  // A chunk of a stream has the form of a whole answer.
  writeAsStream: ({ text }) => writeSse(text),
};
