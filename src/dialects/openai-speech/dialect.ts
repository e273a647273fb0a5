// The OpenAI speech format: text in, audio out. Upstreams send it as events with base64, or as bytes, which are written as such
// events first.

import { editMembers, isObject, type JsonDocument, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { countTokens } from '../../kit/tokens.ts';
import { sendsSpeechEvents } from '../../vendors/openai.ts';
import { checkReport } from '../counts.ts';
import {
  type Dialect,
  NO_CHAT,
  NO_OUTPUT,
  type RelayRequest,
  type StreamEvent,
  type StreamReader,
  type StreamWriter,
  type UsageReport,
} from '../dialect.ts';
import { readModel, refuseField, textField } from '../fields.ts';
import type { InputCount } from '../input/count-input.ts';
import { NO_USE } from '../input/tool-use.ts';
import { createMediaWriter, readMediaUsage, writeMediaUsage } from '../openai-media.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { BROKEN, NEVER_STREAMS } from '../stream/bare-events.ts';
import { type SseEvent, writeSse } from '../stream/sse.ts';

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
    createReader: ({ document }) => createStreamReader(formatOf(document).bytesPerSecond),
    createWriter: ({ document }) => createStreamWriter(wantsEvents(document)),
    frameBytes,
    contentType: ({ document }) => (wantsEvents(document) ? undefined : formatOf(document).type),
  },
};

/** More than any upstream takes at once. */
const MAX_CHARS = 100_000;
/** More tokens than a character takes at the slowest speed. */
const MAX_TOKENS = { perCharacter: 32, around: 512 };
/** Marks around the text, which the upstream counts. */
const MARKS = 16;

function readRequest(document: JsonDocument): RelayRequest {
  const body = document.value;
  const model = readModel(document);
  const text = textField(body, 'input', MAX_CHARS * 2);
  const characters = countCharacters(text);
  if (characters > MAX_CHARS) refuseField('input', `input must have at most ${MAX_CHARS} characters.`);
  if (typeof body.voice !== 'string' && !isObject(body.voice)) {
    refuseField('voice', 'voice must be the name of a voice, such as alloy.');
  }
  formatOf(document);
  const { stream_format: form = null } = body;
  if (form !== null && form !== 'audio' && form !== 'sse') {
    refuseField('stream_format', 'stream_format must be audio or sse.');
  }
  return {
    ...NO_CHAT,
    model,
    stream: true,
    maxOutputTokens: MAX_TOKENS.around + MAX_TOKENS.perCharacter * characters,
    isUncut: true,
    characters,
    input: countText(text, body),
    document,
  };
}

/** Code points: what is one character to a vendor may be two units of a string here. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Instructions are read, too. */
function countText(text: string, { input: _, model: __, ...others }: JsonObject): InputCount {
  const count = countTokens(text);
  const beside = countTokens(JSON.stringify(others)).upper;
  return { ...count, upper: count.upper + MARKS + beside, isOpen: false, toolUse: NO_USE };
}

function wantsEvents({ value }: JsonDocument): boolean {
  return value.stream_format === 'sse';
}

/** The content type of each format, and about how many bytes a second of speech has in it. */
const FORMATS = new Map([
  ['mp3', { type: 'audio/mpeg', bytesPerSecond: 16_000 }],
  ['opus', { type: 'audio/ogg', bytesPerSecond: 6_000 }],
  ['aac', { type: 'audio/aac', bytesPerSecond: 12_000 }],
  ['flac', { type: 'audio/flac', bytesPerSecond: 28_000 }],
  ['wav', { type: 'audio/wav', bytesPerSecond: 48_000 }],
  ['pcm', { type: 'audio/pcm', bytesPerSecond: 48_000 }],
]);

export const AUDIO_TYPES: readonly string[] = Array.from(FORMATS.values(), ({ type }) => type);

function formatOf({ value }: JsonDocument) {
  const name = value.response_format ?? 'mp3';
  const format = typeof name === 'string' ? FORMATS.get(name) : undefined;
  return format ?? refuseField('response_format', `response_format must be one of ${[...FORMATS.keys()].join(', ')}.`);
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

/** Tokens that common models count for a second of speech. */
const TOKENS_PER_SECOND = 20;

function createStreamReader(bytesPerSecond: number): StreamReader {
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
      const mediaTokens = (bytes / bytesPerSecond) * TOKENS_PER_SECOND;
      const output = { ...NO_OUTPUT, hasContent: bytes > 0, mediaTokens };
      return { usage: checkReport(usage, output, isWhole), output, finish: 'other', finished: isWhole };
    },
    isFinished: () => isWhole,
  };
}
