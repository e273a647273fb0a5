// The Anthropic messages format as an upstream's, for clients of any other.

import type { UpstreamSide } from '../translate/sides.ts';
import { createEventReader } from './read-events.ts';
import { readWhole } from './read-whole.ts';
import { writeConversation } from './write-conversation.ts';

export const anthropicMessagesUpstream: UpstreamSide = {
  takesAddresses: true,
  writeConversation,
  createEventReader,
  readWhole,
};
