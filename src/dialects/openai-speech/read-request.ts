// A speech request: the text that is spoken, and the form of the audio.

import { isObject, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { countTokens } from '../../kit/tokens.ts';
import { NO_CHAT, type RelayRequest } from '../dialect.ts';
import { readModel, refuseField, textField } from '../fields.ts';
import type { InputCount } from '../input/count-input.ts';
import { NO_USE } from '../input/tool-use.ts';

/** More than any upstream takes at once. */
const MAX_CHARS = 100_000;
/** More tokens than a character takes at the slowest speed. */
const MAX_TOKENS = { perCharacter: 32, around: 512 };
/** Marks around the text, which the upstream counts. */
const MARKS = 16;

export function readRequest(document: JsonDocument): RelayRequest {
  const body = document.value;
  const model = readModel(document);
  const text = textField(body, 'input', MAX_CHARS * 2);
  const characters = countCharacters(text);
  if (characters > MAX_CHARS) refuseField('input', `input must have at most ${MAX_CHARS} characters.`);
  if (typeof body.voice !== 'string' && !isObject(body.voice)) {
    refuseField('voice', 'voice must be the name of a voice, such as alloy.');
  }
  if (!findFormat(body.response_format)) {
    refuseField('response_format', `response_format must be one of ${FORMAT_NAMES.join(', ')}.`);
  }
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

export function wantsEvents({ value }: JsonDocument): boolean {
  return value.stream_format === 'sse';
}

/** The content type of a format of audio, and about how many bytes a second of speech has. */
export interface AudioFormat {
  type: string;
  bytesPerSecond: number;
}

const FORMATS = new Map<string, AudioFormat>([
  ['mp3', { type: 'audio/mpeg', bytesPerSecond: 16_000 }],
  ['opus', { type: 'audio/ogg', bytesPerSecond: 6_000 }],
  ['aac', { type: 'audio/aac', bytesPerSecond: 12_000 }],
  ['flac', { type: 'audio/flac', bytesPerSecond: 28_000 }],
  ['wav', { type: 'audio/wav', bytesPerSecond: 48_000 }],
  ['pcm', { type: 'audio/pcm', bytesPerSecond: 48_000 }],
]);

const DEFAULT = 'mp3';
const FORMAT_NAMES: readonly string[] = [...FORMATS.keys()];
export const AUDIO_TYPES: readonly string[] = [...FORMATS.values()].map(({ type }) => type);

/** Undefined if there is no such format. */
export function findFormat(name: unknown): AudioFormat | undefined {
  if (name === undefined || name === null) return FORMATS.get(DEFAULT);
  return typeof name === 'string' ? FORMATS.get(name) : undefined;
}

/** Tokens that common models count for a second of speech. */
const TOKENS_PER_SECOND = 20;

export function audioTokens(bytes: number, { bytesPerSecond }: AudioFormat): number {
  return (bytes / bytesPerSecond) * TOKENS_PER_SECOND;
}
