// Chat clients of models that are reached in another format.

import type { ClientSide } from '../translate/sides.ts';
import { readConversation } from './read-conversation.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const openaiChatClient: ClientSide = {
  takesCitations: true,
  readConversation,
  createEventWriter,
  writeWhole,
};
