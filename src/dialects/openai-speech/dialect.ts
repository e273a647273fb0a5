// The OpenAI speech format: text in, audio out. Upstreams send it as events with base64, or as bytes, which are written as such
// events first.

import { fault } from '../../faults/fault.ts';
import { editMembers, isObject, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { sendsSpeechEvents } from '../../vendors/openai.ts';
import { checkReport } from '../counts.ts';
import {
  type Dialect,
  NO_OUTPUT,
  type StreamEvent,
  type StreamReader,
  type StreamWriter,
  type UsageReport,
} from '../dialect.ts';
import { createMediaWriter, readMediaUsage, writeMediaUsage } from '../openai-media.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { BROKEN } from '../stream/bare-events.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { type SseEvent, writeSse } from '../stream/sse.ts';
import { type AudioFormat, audioTokens, findFormat, readRequest, wantsEvents } from './read-request.ts';

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

const DELTA = 'speech.audio.delta';
const DONE = 'speech.audio.done';

/** The audio in an answer that is not a stream of events. */
const AUDIO = /^(audio\/|application\/(octet-stream|ogg)\b)/i;

/** A chunk of audio as an event, and the end of it; undefined if the content type is none of audio. */
function frameBytes(contentType: string) {
  if (!AUDIO.test(contentType)) return undefined;
  return {
    chunk: (bytes: Uint8Array) =>
      writeSse(JSON.stringify({ type: DELTA, audio: Buffer.from(bytes).toString('base64') })),
    end: writeSse(JSON.stringify({ type: DONE })),
  };
}

function audioOf({ audio }: JsonObject): Buffer {
  return Buffer.from(typeof audio === 'string' ? audio : '', 'base64');
}

function createStreamReader(format: AudioFormat): StreamReader {
  let bytes = 0;
  let isWhole = false;
  let usage: UsageReport = 'absent';

  function read({ data = '' }: SseEvent): StreamEvent[] {
    if (data === '[DONE]') return [];
    const document = tryReadAnswerJson(data);
    const type = document?.value.type;
    if (!document || isWhole || isObject(document.value.error)) return [BROKEN];
    if (type === DELTA) {
      const { length } = audioOf(document.value);
      bytes += length;
      return length === 0 ? [] : [{ kind: 'output', name: undefined, document, segments: [] }];
    }
    // Without audio it is no answer: another channel may have one.
    if (type !== DONE || bytes === 0) return [BROKEN];
    isWhole = true;
    usage = readMediaUsage(document.value.usage);
    return [{ kind: 'held', name: undefined, document, segments: [] }];
  }

  return {
    read,
    facts() {
      const output = { ...NO_OUTPUT, hasContent: bytes > 0, mediaTokens: audioTokens(bytes, format) };
      return { usage: checkReport(usage, output, isWhole), output, finish: 'other', finished: isWhole };
    },
    isFinished: () => isWhole,
  };
}
