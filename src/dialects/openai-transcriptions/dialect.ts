// The OpenAI formats for transcripts: of a recording in its own language, and translated into English.

import {
  editMembers,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  objectsOf,
} from '../../kit/json/json.ts';
import type { AnswerFormat, Dialect, RelayRequest, ReportedUsage, RequestFormat, UpstreamFields } from '../dialect.ts';
import { writeSame } from '../form/form.ts';
import { writeMediaUsage } from '../openai-media.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { askedFormat, formatOf, readRequest, readTranslation, TRANSCRIPTION_FORM } from './read-request.ts';
import { createStreamReader, createStreamWriter, OTHER_FORM, readAnswer } from './read-transcript.ts';

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

function withFigures(usage: JsonObject, billed: ReportedUsage): JsonObject {
  if (usage.type === 'duration') return { ...usage, seconds: billed.buckets.seconds };
  return { ...usage, ...writeMediaUsage(billed) };
}

function answerType({ document: { value } }: RelayRequest): string | undefined {
  const format = formatOf(value);
  if (format === 'vtt') return 'text/vtt; charset=utf-8';
  return format === 'text' || format === 'srt' ? 'text/plain; charset=utf-8' : undefined;
}

function writeSrt(segments: Json | undefined): string {
  return linesOf(segments, ',')
    .map(({ times, text }, index) => `${index + 1}\n${times}\n${text}\n\n`)
    .join('');
}

function writeVtt(segments: Json | undefined): string {
  return `WEBVTT\n\n${linesOf(segments, '.')
    .map(({ times, text }) => `${times}\n${text}\n\n`)
    .join('')}`;
}

function linesOf(segments: Json | undefined, point: ',' | '.') {
  return objectsOf(segments).map(({ start, end, text }) => ({
    times: `${timeOf(start, point)} --> ${timeOf(end, point)}`,
    // An arrow would end the text of a segment.
    text:
      typeof text === 'string'
        ? text
            .trim()
            .replaceAll('-->', '->')
            .replaceAll(/\n{2,}/g, '\n')
        : '',
  }));
}

const LONGEST_S = 359_999;

/** Such as 00:01:02,345. */
function timeOf(value: Json | undefined, point: string): string {
  const seconds = typeof value === 'number' && value > 0 ? Math.min(value, LONGEST_S) : 0;
  const ms = Math.round(seconds * 1_000);
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const [hours, minutes, rest] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60];
  return `${two(hours)}:${two(minutes)}:${two(rest)}${point}${String(ms % 1_000).padStart(3, '0')}`;
}
