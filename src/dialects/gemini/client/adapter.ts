// Google's Gemini format as a client's. A request is read by read-conversation.ts and the read-… files beside it; an answer
// is written by write-events.ts, as a stream or whole, from the parts of write-parts.ts.

import type { ClientAdapter } from '../../translate/adapters.ts';
import { readConversation } from './read-conversation.ts';
import { showsThoughts } from './read-settings.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const geminiClient: ClientAdapter = {
  readConversation,
  createEventWriter,
  writeWhole,
  hidesThoughts: (body) => !showsThoughts(body),
  keepsSignatures: true,
  // Google's citations refer to its own search.
  findLost: (events) => (events.some(({ type }) => type === 'cite') ? ['citations'] : []),
};
