// The OpenAI speech format: text in, audio out.

import { fault } from '../../faults/fault.ts';
import { editMembers } from '../../kit/json/json.ts';
import { sendsSpeechEvents } from '../../vendors/openai.ts';
import type { Dialect, StreamWriter } from '../dialect.ts';
import { createMediaWriter, writeMediaUsage } from '../openai-media.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { findFormat } from './formats.ts';
import { readRequest, wantsEvents } from './read-request.ts';
import { audioOf, createStreamReader, frameBytes } from './read-stream.ts';

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

/** Audio as bytes, or as events with base64. Bytes have no place for an error, so the connection is closed without an end. */
function createStreamWriter(isEvents: boolean): StreamWriter {
  const writer = createMediaWriter({
    note(_, sent) {
      sent.hasOutput = true;
      sent.hasMedia = true;
    },
    ...(isEvents ? {} : { write: ({ document }) => (document ? audioOf(document.value).toString('latin1') : '') }),
    usageOf: writeMediaUsage,
  });
  if (isEvents) return writer;
  const encode = (frames: string) => Buffer.from(frames, 'latin1');
  return { ...writer, encode, keepAlive: () => '', end: () => '', error: () => undefined };
}
