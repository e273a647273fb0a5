// The OpenAI formats for transcripts: of a recording in its own language, and translated into English.

import { editMembers, isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import type { AnswerFormat, Dialect, RelayRequest, ReportedUsage, RequestFormat, UpstreamFields } from '../dialect.ts';
import { writeSame } from '../form/form.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { askedFormat, formatOf, readRequest, readTranslation, TRANSCRIPTION_FORM } from './read-request.ts';
import { readAnswer } from './read-transcript.ts';
import { createStreamReader, createStreamWriter, OTHER_FORM } from './stream.ts';
import { writeSrt, writeVtt } from './subtitles.ts';

const REQUEST = {
  promptField: 'prompt',
  form: TRANSCRIPTION_FORM,
  write: writeRequest,
} satisfies Partial<RequestFormat>;
const ANSWER: AnswerFormat = { read: readAnswer, write: writeAnswer, contentType: answerType };

export const openaiTranscriptions: Dialect = {
  endpoint: 'transcription',
  envelope: 'openai',
  request: { ...REQUEST, read: readRequest },
  answer: ANSWER,
  stream: {
    ...NEVER_STREAMS,
    createReader: createStreamReader,
    createWriter: createStreamWriter,
    otherForm: OTHER_FORM,
  },
};

export const openaiTranslations: Dialect = {
  endpoint: 'audio_translation',
  isOptional: true,
  envelope: 'openai',
  request: { ...REQUEST, read: readTranslation },
  answer: ANSWER,
  stream: NEVER_STREAMS,
};

const SUBTITLES: Readonly<Record<string, (segments: Json | undefined) => string>> = { srt: writeSrt, vtt: writeVtt };

function writeRequest(
  request: RelayRequest,
  { model, verboseTranscripts }: UpstreamFields,
  removed: readonly string[] = [],
) {
  const { value } = request.document;
  const format = formatOf(value);
  // Subtitles need segments, which other granularities leave out.
  const left = format in SUBTITLES ? [...removed, 'timestamp_granularities'] : removed;
  const asked = askedFormat(value, verboseTranscripts);
  const isUsual = value.response_format === undefined && asked === format;
  return writeSame(request, isUsual ? { model } : { model, response_format: asked }, left);
}

function writeAnswer(document: JsonDocument, _model: string, { document: asked }: RelayRequest, usage?: ReportedUsage) {
  const format = formatOf(asked.value);
  const { text, segments } = document.value;
  const subtitles = SUBTITLES[format];
  if (subtitles) return subtitles(segments);
  if (format === 'text') return `${text}\n`;
  const own = document.value.usage;
  const figures = usage && isObject(own) ? withFigures(own, usage) : own;
  // The answer has its length and segments, which the client did not request.
  if (format === 'json' && Array.isArray(segments)) return JSON.stringify({ text, usage: figures ?? undefined });
  return figures === own ? document.text : editMembers(document, { usage: figures });
}

function withFigures(usage: JsonObject, { buckets: { input, output, seconds } }: ReportedUsage): JsonObject {
  if (usage.type === 'duration') return { ...usage, seconds };
  return { ...usage, input_tokens: input, output_tokens: output, total_tokens: input + output };
}

function answerType({ document: { value } }: RelayRequest): string | undefined {
  const format = formatOf(value);
  if (format === 'vtt') return 'text/vtt; charset=utf-8';
  return format === 'text' || format === 'srt' ? 'text/plain; charset=utf-8' : undefined;
}
