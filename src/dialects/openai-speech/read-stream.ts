// Reads spoken audio. Upstreams send it as events with base64, or as bytes, which are written as such events first.

import { isObject, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { checkReport } from '../counts.ts';
import { NO_OUTPUT, type StreamEvent, type StreamReader, type UsageReport } from '../dialect.ts';
import { readMediaUsage } from '../openai-media.ts';
import { BROKEN } from '../stream/bare-events.ts';
import { type SseEvent, writeSse } from '../stream/sse.ts';
import { type AudioFormat, audioTokens } from './formats.ts';

const DELTA = 'speech.audio.delta';
const DONE = 'speech.audio.done';

/** The audio in an answer that is not a stream of events. */
const AUDIO = /^(audio\/|application\/(octet-stream|ogg)\b)/i;

/** A chunk of audio as an event, and the end of it; undefined if the content type is none of audio. */
export function frameBytes(contentType: string) {
  if (!AUDIO.test(contentType)) return undefined;
  return {
    chunk: (bytes: Uint8Array) =>
      writeSse(JSON.stringify({ type: DELTA, audio: Buffer.from(bytes).toString('base64') })),
    end: writeSse(JSON.stringify({ type: DONE })),
  };
}

export function audioOf({ audio }: JsonObject): Buffer {
  return Buffer.from(typeof audio === 'string' ? audio : '', 'base64');
}

export function createStreamReader(format: AudioFormat): StreamReader {
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
    end: () => [],
    facts() {
      const output = { ...NO_OUTPUT, hasContent: bytes > 0, mediaTokens: audioTokens(bytes, format) };
      return { usage: checkReport(usage, output, isWhole), output, finish: 'other', finished: isWhole };
    },
    isFinished: () => isWhole,
  };
}
