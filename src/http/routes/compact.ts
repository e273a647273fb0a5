// POST /v1/responses/compact: a conversation made shorter, for the client to go on with.

import { openaiResponses } from '../../dialects/openai-responses/dialect.ts';
import { rewriteCompact } from '../compact-call.ts';
import type { ModelFor } from '../description.ts';
import { modelCall } from './model-calls.ts';
import * as outline from './outlines.ts';

export const compactResponse = modelCall('POST /v1/responses/compact', {
  id: 'compactResponse',
  summary: 'A shorter form of a conversation in the responses format',
  description:
    'Billed as any answer. `output` has messages of the user and one item `compaction`, to be sent as the beginning of `input` from then on. Its content is sealed: only this account can use it. Where the vendor of the channel compacts, only models on channels to the same vendor account can read it; otherwise the model writes a summary, which every model can read. `POST /v1/responses` does the same if the last item of `input` is `{"type": "compaction_trigger"}`.',
  kind: 'chat',
  dialect: openaiResponses,
  maxBytes: 20 * 1024 * 1024,
  requestHeaders: { ...outline.noWait, ...outline.strict, ...outline.session },
  body: outline.compactRequest,
  example: (modelFor: ModelFor) => ({ model: modelFor('chat'), input: [{ role: 'user', content: 'Hello' }] }),
  answer: outline.compactAnswer,
  rewrite: rewriteCompact,
});
