// A request to write down a recording. It is held by the length of the recording; the upstream is always asked for JSON, which
// reports what it used, and the format that the client wants is written here.

import { type AudioLength, audioLength } from '../../kit/audio/audio-length.ts';
import type { JsonDocument, JsonObject } from '../../kit/json/json.ts';
import { countTokens } from '../../kit/tokens.ts';
import { NO_CHAT, type RelayRequest } from '../dialect.ts';
import { optionalFlag, readModel, refuseField } from '../fields.ts';
import type { Form, FormRules } from '../form/form.ts';
import type { InputCount } from '../input/count-input.ts';
import { NO_USE } from '../input/tool-use.ts';

/** A file of 25 MB, the most that OpenAI takes, with the texts beside it. */
const MAX_FORM_BYTES = 26 * 1024 * 1024;
/** For a quote, which has no file: the longest recording that fits. */
const LONGEST: AudioLength = { likely: MAX_FORM_BYTES / 8_000, most: MAX_FORM_BYTES / 1_000 };

export const TRANSCRIPTION_FORM: FormRules = {
  maxBytes: MAX_FORM_BYTES,
  files: { file: { least: 1, most: 1 } },
  counts: [],
  flags: ['stream'],
  takesJson: false,
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
const SUBTITLES: ReadonlySet<string> = new Set(['srt', 'vtt']);

export function readRequest(document: JsonDocument, form?: Form): RelayRequest {
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

export function readTranslation(document: JsonDocument, form?: Form): RelayRequest {
  const request = readRequest(document, form);
  if (request.stream) refuseField('stream', 'Translations are not streamed. Leave stream out.');
  return request;
}

export function formatOf({ response_format: format }: JsonObject): string {
  if (format === undefined || format === null || format === '') return 'json';
  if (typeof format === 'string' && Object.hasOwn(ASKED, format)) return format;
  return refuseField('response_format', `response_format must be one of ${Object.keys(ASKED).join(', ')}.`);
}

export function wantsSubtitles(body: JsonObject): boolean {
  return SUBTITLES.has(formatOf(body));
}

/** A transcript without its length is asked for with it, where the upstream can: what a file declares may be wrong. */
export function askedFormat(body: JsonObject, isVerbose: boolean | undefined): string {
  const asked = ASKED[formatOf(body)] ?? 'json';
  return asked === 'json' && body.stream !== true && isVerbose ? 'verbose_json' : asked;
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
