// Gemini as an upstream of clients that speak other dialects.

import { writeSse } from '../stream/sse.ts';
import type { UpstreamSide } from '../translate/sides.ts';
import { createEventReader, readWhole } from './read-events.ts';
import { writeConversation } from './write-conversation.ts';

export const geminiUpstream: UpstreamSide = {
  takesInside: ['image', 'document'],
  writeConversation,
  createEventReader,
  readWhole,
  // A chunk of a stream has the form of a whole answer.
  writeAsStream: ({ text }) => writeSse(text),
};
