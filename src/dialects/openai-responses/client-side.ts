// The Responses format as a client's side of a translation.

import type { ClientSide } from '../translate/sides.ts';
import { readConversation } from './read-conversation.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const openaiResponsesClient: ClientSide = {
  readConversation,
  createEventWriter,
  writeWhole,
};
