// The Responses format as a client's, for upstreams of any other. A request is read by read-conversation.ts and the read-…
// files beside it. An answer is written by write-events.ts, as a stream or whole: which item a block becomes, a call of a
// tool too, in make-item.ts, how it grows in write-items.ts, what is around it in write-response.ts.

import type { ClientAdapter } from '../../translate/adapters.ts';
import { readConversation } from './read-conversation.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const openaiResponsesClient: ClientAdapter = {
  readConversation,
  createEventWriter,
  writeWhole,
};
