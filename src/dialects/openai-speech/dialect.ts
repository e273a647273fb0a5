// The OpenAI speech format: text in, audio out.

import { fault } from '../../faults/fault.ts';
import { editMembers } from '../../kit/json/json.ts';
import { sendsSpeechEvents } from '../../vendors/openai.ts';
import type { Dialect } from '../dialect.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { findFormat } from './formats.ts';
import { readRequest, wantsEvents } from './read-request.ts';
import { createStreamReader, frameBytes } from './read-stream.ts';
import { createStreamWriter } from './write-stream.ts';

export const openaiSpeech: Dialect = {
  endpoint: 'speech',
  envelope: 'openai',
  request: {
    promptField: 'input',
    read: readRequest,
    write({ document }, { model }, removed) {
      // Only events report the usage.
      const form = sendsSpeechEvents(model) ? { stream_format: 'sse' } : {};
      return editMembers(document, withoutFields({ model, ...form }, removed));
    },
  },
  // Every answer is a stream.
  answer: { read: () => undefined, write: ({ text }) => text },
  stream: {
    ...NEVER_STREAMS,
    createReader: ({ document }) => createStreamReader(formatOf(document.value.response_format)),
    createWriter: ({ document }) => createStreamWriter(wantsEvents(document)),
    frameBytes,
    contentType: ({ document }) =>
      wantsEvents(document) ? undefined : findFormat(document.value.response_format)?.type,
  },
};

function formatOf(name: unknown) {
  const format = findFormat(name);
  if (!format) throw fault('invalid_request', { param: 'response_format' });
  return format;
}
