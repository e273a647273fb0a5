// The Anthropic messages format as a client's, for upstreams of any other.

import type { ClientSide } from '../translate/sides.ts';
import { readConversation } from './read-conversation.ts';
import { createEventWriter } from './write-events.ts';
import { writeWhole } from './write-whole.ts';

export const anthropicMessagesClient: ClientSide = {
  readConversation,
  createEventWriter,
  writeWhole,
  // A citation there points to a search result, and there is none in a translated answer.
  findLost: (events) => (events.some(({ type }) => type === 'cite') ? ['citations'] : []),
};
