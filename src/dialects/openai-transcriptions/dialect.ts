// The OpenAI formats for transcripts: of a recording in its own language, and translated into English. A request is held by the
// length of the recording. The upstream is always asked for JSON, which reports what it used; the format that the client wants is
// written here.

import { type AudioLength, audioLength } from '../../kit/audio/audio-length.ts';
import { editMembers, isObject, type JsonDocument, type JsonObject, objectsOf } from '../../kit/json/json.ts';
import { countTokens } from '../../kit/tokens.ts';
import {
  type AnswerFacts,
  type AnswerFormat,
  type Dialect,
  NO_CHAT,
  type RelayRequest,
  type ReportedUsage,
  type RequestFormat,
  type UpstreamFields,
} from '../dialect.ts';
import { optionalFlag, readModel, refuseField } from '../fields.ts';
import { type Form, type FormRules, writeSame } from '../form/form.ts';
import type { InputCount } from '../input/count-input.ts';
import { NO_USE } from '../input/tool-use.ts';
import { writeMediaUsage } from '../openai-media.ts';
import { NEVER_STREAMS } from '../stream/bare-events.ts';
import { createStreamReader, createStreamWriter, OTHER_FORM, readTranscript } from './read-transcript.ts';

/** A file of 25 MB, the most that OpenAI takes, with the texts beside it. */
const MAX_FORM_BYTES = 26 * 1024 * 1024;
/** For a quote, which has no file: the longest recording that fits. */
const LONGEST: AudioLength = { likely: MAX_FORM_BYTES / 8_000, most: MAX_FORM_BYTES / 1_000 };

const FORM: FormRules = {
  maxBytes: MAX_FORM_BYTES,
  files: { file: { least: 1, most: 1 } },
  counts: [],
  flags: ['stream'],
  takesJson: false,
};
const REQUEST = { promptField: 'prompt', form: FORM, write: writeRequest } satisfies Partial<RequestFormat>;
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

/** The format to ask the upstream for, by the one that the client wants. */
const ASKED: Readonly<Record<string, string>> = {
  json: 'json',
  text: 'json',
  srt: 'verbose_json',
  vtt: 'verbose_json',
  verbose_json: 'verbose_json',
  diarized_json: 'diarized_json',
};
/** Written here from segments. Their lines are whole only at the end, so they are not streamed. */
const SUBTITLES = new Map<string, (segments: JsonObject[]) => string>([
  ['srt', writeSrt],
  ['vtt', writeVtt],
]);

function readRequest(document: JsonDocument, form?: Form): RelayRequest {
  const body = document.value;
  const format = formatOf(body);
  const stream = optionalFlag(body, 'stream');
  if (stream && SUBTITLES.has(format)) refuseField('stream', `${format} is not streamed. Leave stream out.`);
  const [file] = form?.files('file') ?? [];
  const length = file ? audioLength(file.bytes) : LONGEST;
  return {
    ...NO_CHAT,
    model: readModel(document),
    stream,
    maxOutputTokens: undefined,
    isUncut: true,
    seconds: Math.ceil(length.most),
    likelySeconds: Math.ceil(length.likely),
    input: countSound(body, length),
    document,
    form,
  };
}

function readTranslation(document: JsonDocument, form?: Form): RelayRequest {
  const request = readRequest(document, form);
  if (request.stream) refuseField('stream', 'Translations are not streamed. Leave stream out.');
  return request;
}

function formatOf({ response_format: format }: JsonObject): string {
  if (format === undefined || format === null || format === '') return 'json';
  if (typeof format === 'string' && Object.hasOwn(ASKED, format)) return format;
  return refuseField('response_format', `response_format must be one of ${Object.keys(ASKED).join(', ')}.`);
}

/** OpenAI counts 10 tokens for a second, and no vendor more than 32. */
const TOKENS_PER_SECOND = { likely: 10, most: 50 };
const AROUND_PROMPT = 16;

function countSound({ model: _, ...others }: JsonObject, { likely, most }: AudioLength): InputCount {
  const texts = countTokens(JSON.stringify(others));
  return {
    upper: texts.upper + AROUND_PROMPT + Math.ceil(most * TOKENS_PER_SECOND.most),
    estimate: Math.ceil(likely * TOKENS_PER_SECOND.likely),
    undeclared: Math.ceil(most * TOKENS_PER_SECOND.likely),
    lower: 0,
    isOpen: false,
    toolUse: NO_USE,
  };
}

function writeRequest(
  request: RelayRequest,
  { model, verboseTranscripts }: UpstreamFields,
  removed: readonly string[] = [],
) {
  const { value } = request.document;
  const format = formatOf(value);
  // Subtitles need segments, which other granularities leave out.
  const left = SUBTITLES.has(format) ? [...removed, 'timestamp_granularities'] : removed;
  const usual = ASKED[format] ?? 'json';
  // A transcript without its length is asked for with it, where the upstream can: what a file declares may be wrong.
  const lacksLength = usual === 'json' && value.stream !== true && verboseTranscripts;
  const asked = lacksLength ? 'verbose_json' : usual;
  const isUsual = value.response_format === undefined && asked === format;
  return writeSame(request, isUsual ? { model } : { model, response_format: asked }, left);
}

function readAnswer({ value }: JsonDocument, request?: RelayRequest): AnswerFacts | undefined {
  const facts = readTranscript(value, request);
  const isSubtitled = request !== undefined && SUBTITLES.has(formatOf(request.document.value));
  // The subtitles would be empty: another channel may send segments.
  return facts && { ...facts, gaveUp: isSubtitled && value.text !== '' && !hasSegments(value) };
}

function hasSegments({ segments }: JsonObject): boolean {
  return objectsOf(segments).some(({ text }) => typeof text === 'string' && text.trim() !== '');
}

function writeAnswer(document: JsonDocument, _model: string, { document: asked }: RelayRequest, usage?: ReportedUsage) {
  const format = formatOf(asked.value);
  const { text, segments } = document.value;
  const subtitles = SUBTITLES.get(format);
  if (subtitles) return subtitles(objectsOf(segments));
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

function writeSrt(segments: JsonObject[]): string {
  const lines = linesOf(segments, ',').map(({ times, text }, index) => `${index + 1}\n${times}\n${text}\n\n`);
  return lines.join('');
}

function writeVtt(segments: JsonObject[]): string {
  return ['WEBVTT\n\n', ...linesOf(segments, '.').map(({ times, text }) => `${times}\n${text}\n\n`)].join('');
}

function linesOf(segments: JsonObject[], point: ',' | '.') {
  return segments.map(({ start, end, text }) => {
    // An arrow would end the text of a segment.
    const said = typeof text === 'string' ? text.trim().replaceAll('-->', '->') : '';
    return { times: `${timeOf(start, point)} --> ${timeOf(end, point)}`, text: said.replaceAll(/\n{2,}/g, '\n') };
  });
}

const LONGEST_S = 359_999;

/** Such as 00:01:02,345. */
function timeOf(value: unknown, point: string): string {
  const seconds = typeof value === 'number' && value > 0 ? Math.min(value, LONGEST_S) : 0;
  const ms = Math.round(seconds * 1_000);
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const [hours, minutes, rest] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60];
  return `${two(hours)}:${two(minutes)}:${two(rest)}${point}${String(ms % 1_000).padStart(3, '0')}`;
}
