// Upstreams that speak Responses, for clients of other dialects.

import type { UpstreamSide } from '../translate/sides.ts';
import { createEventReader, readWhole } from './read-events.ts';
import { writeConversation } from './write-conversation.ts';

export const openaiResponsesUpstream: UpstreamSide = {
  takesAddresses: true,
  writeConversation,
  createEventReader,
  readWhole,
};
