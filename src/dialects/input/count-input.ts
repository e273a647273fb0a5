// Bounds and estimates the input tokens of a request. The upper bound is computed from the whole text of the body, because
// all of it is sent: no member that can hold text is left out. Only media in places for media count by their kind instead of
// by the length of their base64; the kind is read from the bytes.

import { type ImageSize, imageSize } from '../../kit/image-size.ts';
import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { audioTokens, imageTokens, mostWaveTokens, packedTokens, textTokens } from '../../kit/media-tokens.ts';
import { MAX_LOWER_PER_BYTE, PER_IMAGE, type TokenCount, upperTokens } from '../../kit/tokens.ts';
import { readDataHead } from '../media/read-media.ts';
import { type MediaClaims, type MediaKind, sniffMedia } from '../media/sniff-media.ts';
import { addedDigits, hiddenTokens } from './added-tokens.ts';
import { type Prose, proseOf } from './prose.ts';
import { NO_USE, type ToolUse } from './tool-use.ts';
import { isReference, isToolResult, isWords, namesMedia } from './unknown-media.ts';

const PER_MESSAGE = { upper: 8, estimate: 4 };
const BASE64_CHARS_PER_TOKEN = 4;

export interface InputCount extends TokenCount {
  /**
   * The size of a part is unknown: the upstream fetches it, or its bytes do not bound what it is billed as. Only the
   * model's context bounds such input.
   */
  isOpen: boolean;
  /** The first part of unknown size. */
  unseen?: JsonObject | undefined;
  /** The same estimate without what the client declares. */
  undeclared?: number | undefined;
  /** An upper bound of `lower`, where it is known without counting. */
  lowerAtMost?: number;
  /** Some models bill more for these than `upper` has for them. */
  images?: readonly SeenImage[] | undefined;
  /** The longest of several prompts in one request, which must fit; together they can exceed a context. */
  longest?: TokenCount | undefined;
  /** Usage of tools that the upstream runs, if it gets any. */
  toolUse: ToolUse;
  /** Tokens that a translation can add to `upper`. */
  readonly addedByTranslation?: number;
}

export interface SeenImage {
  /** The `detail` that the client set. */
  detail: Json | undefined;
  /** Read when it is first asked for, and kept: every route of a call may ask. */
  readonly size: ImageSize | undefined;
}

export function countInput(
  document: JsonDocument,
  messages: readonly JsonObject[],
  use = NO_USE,
  later = NOTHING,
  find = findMedia,
): InputCount {
  const media: Media[] = [];
  for (const message of messages) find(message, media);
  return new CountedInput(document, messages.length + 1, media, use, later);
}

/** The hold needs the upper bound of every request; other figures are counted on first access. */
class CountedInput implements InputCount {
  readonly upper: number;
  readonly lowerAtMost: number;
  readonly images: readonly SeenImage[];
  readonly toolUse: ToolUse;
  readonly #document: JsonDocument;
  readonly #turns: number;
  readonly #media: readonly Media[];
  readonly #later: readonly Json[];
  #prose: Prose | undefined;
  #added: number | undefined;

  constructor(document: JsonDocument, turns: number, media: readonly Media[], use: ToolUse, later: readonly Json[]) {
    let upper = countWords(document) + PER_MESSAGE.upper * turns + hiddenTokens(document.value, later);
    for (const { counted, data, isWords } of media) {
      if (!isWords) upper += counted.upper - upperTokens(data);
    }
    this.upper = Math.max(upper, 1);
    this.lowerAtMost = this.upper * MAX_LOWER_PER_BYTE;
    this.images = media.length > 0 ? media.flatMap(({ seen }) => seen ?? []) : NO_IMAGES;
    this.toolUse = use;
    this.#document = document;
    this.#turns = turns;
    this.#media = media;
    this.#later = later;
  }

  get addedByTranslation(): number {
    this.#added ??= addedDigits(this.#document.value, this.#later);
    return this.#added;
  }

  get estimate(): number {
    const ofMedia = this.#media.reduce((sum, { counted }) => sum + counted.estimate, 0);
    return PER_MESSAGE.estimate * this.#turns + ofMedia + this.#countProse().estimate;
  }

  get lower(): number {
    return this.#media.reduce((sum, { counted }) => sum + counted.lower, 0) + this.#countProse().lower;
  }

  get isOpen(): boolean {
    return this.unseen !== undefined;
  }

  get unseen(): JsonObject | undefined {
    return this.#media.find((media) => media.isOpen)?.part;
  }

  #countProse(): Prose {
    this.#prose ??= proseOf(this.#document, new Set(this.#media.map(({ part }) => part)));
    return this.#prose;
  }
}

const NOTHING: readonly Json[] = [];
const NO_IMAGES: readonly SeenImage[] = [];

/** Whether a context of so many tokens may take the input: most inputs fit by far, and need no second count. */
export function mayFit(input: InputCount, contextTokens: number): boolean {
  const prompt = input.longest ?? input;
  if (prompt.upper <= contextTokens || (input.lowerAtMost ?? prompt.upper) <= contextTokens) return true;
  return prompt.lower <= contextTokens;
}

/** The upper bound of the source of every top-level member but numbers, flags and those that are ours to set. */
function countWords(document: JsonDocument): number {
  const { text, spans } = document;
  let upper = 0;
  for (let index = 0; index < spans.count; index++) {
    const holdsWords = WORDS_BEGIN.includes(text.charAt(spans.valueStart(index)));
    if (!holdsWords || OURS.some((name) => spans.isNamed(index, name))) continue;
    upper += upperTokens(text.slice(spans.start(index), spans.valueEnd(index)));
  }
  return upper;
}

/** Texts, lists and objects. */
const WORDS_BEGIN = '"[{';
const OURS = ['model', 'stream_options', 'thinking'];

interface Media {
  part: JsonObject;
  /** Its base64, which is in the body's text. */
  data: string;
  counted: TokenCount;
  /** A text file, which counts by its characters. */
  isWords: boolean;
  isOpen: boolean;
  /** The `detail` of an image. */
  seen?: SeenImage | undefined;
}

/** Media are direct parts of a message's content, of what holds parts in it, or of an item that is a tool's output. */
function findMedia(message: JsonObject, found: Media[]): void {
  // Anything with a role is a message, whatever its type says.
  const own = message.role === undefined ? readMedia(message) : undefined;
  if (own) {
    found.push(own);
    return;
  }
  for (const part of partsOf(message, 'content')) if (isObject(part)) findInPart(part, found);
  // Output of a shell is a part without a type, and only text.
  for (const part of partsOf(message, 'output')) {
    if (isObject(part) && part.type !== undefined) findInPart(part, found);
  }
  // An earlier answer in sound, which the upstream has kept.
  if (isObject(message.audio)) found.push(unknown(message.audio));
}

/** The same in Google's format, where parts have no type. */
export function findInlineMedia(content: JsonObject, found: Media[]): void {
  const { parts } = content;
  for (const part of Array.isArray(parts) ? parts : [parts]) {
    if (!isObject(part)) continue;
    const inline = part.inlineData ?? part.inline_data;
    const result = part.functionResponse ?? part.function_response;
    if (isObject(inline))
      found.push(file(part, inline.data, inline, { mediaType: inline.mimeType ?? inline.mime_type }));
    else if (isObject(result)) findInlineMedia(result, found);
    else if (namesMedia(part)) found.push(unknown(part));
  }
}

function findInPart(part: JsonObject, found: Media[]): void {
  if (isWords(part)) return;
  if (isToolResult(part)) {
    findInResult(part, found);
    return;
  }
  const source = part.type === 'document' && isObject(part.source) ? part.source : undefined;
  if (part.type === 'tool_result') findMedia(part, found);
  else if (source?.type === 'content') findMedia(source, found);
  else if (source?.type !== 'text') {
    const media = readMedia(part) ?? (namesMedia(part) ? unknown(part) : undefined);
    if (media) found.push(media);
  }
}

/** Results of the upstream's tools may have media at any depth, such as a fetched document; the rest is text. */
function findInResult(value: Json | undefined, found: Media[]): void {
  if (Array.isArray(value)) for (const item of value) findInResult(item, found);
  else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (isObject(member) && RESULT_MEDIA.has(member.type)) findInPart(member, found);
      else findInResult(member, found);
    }
  }
}

const RESULT_MEDIA: ReadonlySet<Json | undefined> = new Set(['document', 'image']);

function partsOf(message: JsonObject, name: 'content' | 'output'): readonly Json[] {
  const value = message[name];
  if (Array.isArray(value)) return value;
  return isObject(value) ? [value] : NOTHING;
}

function readMedia(part: JsonObject): Media | undefined {
  const { type, image_url: picture, input_audio: sound, file: held, source } = part;
  switch (type) {
    case 'image_url':
      return isObject(picture) ? image(part, picture.url, { detail: picture.detail }) : image(part, picture);
    case 'image':
      if (!isObject(source)) return undefined;
      return image(part, source.data ?? source.url, { mediaType: source.media_type, id: source.file_id });
    case 'input_image':
    case 'computer_screenshot':
      return image(part, picture, { detail: part.detail, id: part.file_id });
    case 'image_generation_call':
      return image(part, part.result);
    case 'input_file':
      return file(part, part.file_data, part, { fileName: part.filename });
    case 'input_audio':
      return isObject(sound) ? audio(part, sound) : undefined;
    case 'file':
      return isObject(held) ? file(part, held.file_data, held, { fileName: held.filename }) : undefined;
    case 'document':
      return isObject(source) ? file(part, source.data, source, { mediaType: source.media_type }) : undefined;
    default:
      return undefined;
  }
}

interface ImageClaims extends MediaClaims {
  detail?: Json | undefined;
  id?: Json | undefined;
}

/** In these places a URL or an id can only be an image: upstreams accept nothing else there. */
function image(part: JsonObject, data: Json | undefined, claims: ImageClaims = {}): Media | undefined {
  if (typeof data !== 'string') return typeof claims.id === 'string' ? seenImage(part, claims.id, claims) : undefined;
  const kind = isReference(data) ? 'image' : sniffMedia(data, claims);
  return kind === 'image' ? seenImage(part, data, claims) : sized(part, data, kind, claims);
}

function seenImage(part: JsonObject, data: string, { detail }: ImageClaims): Media {
  let read: { size: ImageSize | undefined } | undefined;
  const seen = {
    detail,
    get size() {
      read ??= { size: imageSize(data, readDataHead(data)?.chars ?? 0) };
      return read.size;
    },
  };
  const counted = {
    ...PER_IMAGE,
    get estimate() {
      return imageTokens(seen.size);
    },
  };
  return { part, data, counted, isWords: false, isOpen: false, seen };
}

function audio(part: JsonObject, holder: JsonObject): Media {
  const { data, format } = holder;
  const text = typeof data === 'string' ? data : '';
  const isWave = !leadsElsewhere(holder) && sniffMedia(text) === 'wave';
  return bounded(part, text, isWave, audioTokens(base64Of(text), format));
}

const REFERENCES = ['file_url', 'file_id', 'url', 'uri'];

/** The upstream may read this instead of the data. */
function leadsElsewhere(holder: JsonObject): boolean {
  return REFERENCES.some((name) => typeof holder[name] === 'string' && holder[name] !== '');
}

/** `holder`: the object with the data or the reference. */
function file(part: JsonObject, data: Json | undefined, holder: JsonObject, claims: MediaClaims): Media {
  if (typeof data !== 'string' || data === '') return unknown(part);
  const kind = leadsElsewhere(holder) ? 'open' : sniffMedia(data, claims);
  return kind === 'image' ? seenImage(part, data, {}) : sized(part, data, kind);
}

function sized(part: JsonObject, data: string, kind: Exclude<MediaKind, 'image'>, picture?: ImageClaims): Media {
  const base64 = base64Of(data);
  if (kind === 'wave') return bounded(part, data, true, audioTokens(base64, undefined));
  if (kind === 'open') return bounded(part, data, false, packedTokens(base64));
  const counted = { upper: Buffer.byteLength(data), estimate: textTokens(base64), lower: 0 };
  // Drawn as a picture it may be more than its letters are.
  const seen = picture && { detail: picture.detail, size: undefined };
  if (seen) counted.upper = Math.max(counted.upper, PER_IMAGE.upper);
  return { part, data, counted, isWords: !seen, isOpen: false, seen };
}

/** Only of a wave do the bytes bound what it is billed as. */
function bounded(part: JsonObject, data: string, isWave: boolean, estimate: number): Media {
  const base64 = base64Of(data);
  const upper = isWave ? mostWaveTokens(base64) : Math.ceil(base64.length / BASE64_CHARS_PER_TOKEN);
  const counted = { upper, estimate: Math.min(estimate, upper), lower: 0 };
  return { part, data, counted, isWords: false, isOpen: !isWave };
}

function base64Of(data: string): string {
  return data.slice(readDataHead(data)?.chars ?? 0);
}

/** Its text is not counted, because it holds the whole context anyway. */
function unknown(part: JsonObject): Media {
  return { part, data: '', counted: { upper: 0, estimate: 0, lower: 0 }, isWords: false, isOpen: true };
}
