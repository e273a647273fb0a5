// The Anthropic messages format as a client's, for upstreams of any other. A request is read by read-conversation.ts and the
// read-… files beside it. An answer is written by write-events.ts as a stream, by write-whole.ts as a whole;
// answer-blocks.ts has the beginning of blocks and of tool calls for both.

import type { ClientAdapter } from '../../translate/adapters.ts';
import { readConversation } from './read-conversation.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const anthropicMessagesClient: ClientAdapter = {
  readConversation,
  createEventWriter,
  writeWhole,
  // A citation there points to a search result, and there is none in a translated answer.
  findLost: (events) => (events.some(({ type }) => type === 'cite') ? ['citations'] : []),
};
