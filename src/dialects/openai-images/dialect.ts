// The OpenAI images formats: a picture from a prompt, an edit of pictures, and variations of one. A picture that broke off
// cannot be continued: another run paints another one.

import { fault } from '../../faults/fault.ts';
import { editMembers, isObject, type JsonDocument, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { editItems, editMember, remove } from '../../kit/json/raw-edit.ts';
import { countTokens, PER_IMAGE } from '../../kit/tokens.ts';
import { checkReport } from '../counts.ts';
import {
  type AnswerFacts,
  type AnswerFormat,
  type Dialect,
  type LongMemberRules,
  NO_CHAT,
  NO_OUTPUT,
  type Output,
  type RelayRequest,
  type ReportedUsage,
  type RequestFormat,
  type StreamEvent,
  type StreamFormat,
  type StreamReader,
  type StreamWriter,
  type UsageReport,
} from '../dialect.ts';
import { optionalCount, optionalFlag, readModel, refuseField, textField } from '../fields.ts';
import { type Form, type FormRules, writeSame } from '../form/form.ts';
import type { InputCount } from '../input/count-input.ts';
import { NO_USE } from '../input/tool-use.ts';
import { namesMedia } from '../input/unknown-media.ts';
import { createMediaWriter, readMediaUsage, writeMediaUsage } from '../openai-media.ts';
import { BROKEN, DONE, NEVER_STREAMS } from '../stream/bare-events.ts';
import { isEventName, type SseEvent } from '../stream/sse.ts';

/** In base64, more than a picture of 3,840 by 2,160 has that cannot be packed. */
const MAX_IMAGE_BYTES = 32 * 1024 * 1024;

const LONG_MEMBERS: LongMemberRules = {
  member: 'b64_json',
  mostBytes: ({ images }) => images * MAX_IMAGE_BYTES,
  tooLarge: () =>
    fault('invalid_request', {
      param: 'n',
      message:
        'The images together are larger than one answer can hold. Nothing was charged. Request fewer or smaller images.',
    }),
};

/** A file of 50 MB, the most that OpenAI takes, with the texts beside it. */
const MAX_FORM_BYTES = 51 * 1024 * 1024;

const VARIATION_FORM: FormRules = {
  maxBytes: MAX_FORM_BYTES,
  files: { image: { least: 1, most: 1 } },
  counts: ['n', 'partial_images', 'output_compression'],
  flags: ['stream'],
  takesJson: false,
};
const EDIT_FORM: FormRules = {
  ...VARIATION_FORM,
  files: { image: { least: 1, most: 16 }, mask: { least: 0, most: 1 } },
  takesJson: true,
};

const REQUEST = {
  promptField: 'prompt',
  defaultModel: 'dall-e-2',
  write: (request, { model }, removed) => writeSame(request, { model }, removed),
} satisfies Partial<RequestFormat>;

const ANSWER: AnswerFormat = { read: readAnswer, write: writeAnswer, longMembers: LONG_MEMBERS };

/** `kind`: with which the names of the events begin. */
function streamOf(kind: string): StreamFormat {
  const events = { partial: `${kind}.partial_image`, completed: `${kind}.completed` };
  return {
    ...NEVER_STREAMS,
    createReader: ({ images }) => createStreamReader(images, events),
    createWriter: () => createStreamWriter(events),
  };
}

type ImageEvents = Record<'partial' | 'completed', string>;

export const openaiImages: Dialect = {
  endpoint: 'images',
  envelope: 'openai',
  request: { ...REQUEST, read: readRequest },
  answer: ANSWER,
  stream: streamOf('image_generation'),
};

export const openaiImageEdits: Dialect = {
  endpoint: 'image_edits',
  isOptional: true,
  envelope: 'openai',
  request: { ...REQUEST, form: EDIT_FORM, read: (document, form) => withFiles(readRequest(document), form) },
  answer: ANSWER,
  stream: streamOf('image_edit'),
};

export const openaiImageVariations: Dialect = {
  endpoint: 'image_variations',
  isOptional: true,
  envelope: 'openai',
  request: { ...REQUEST, form: VARIATION_FORM, read: readVariation },
  answer: ANSWER,
  stream: NEVER_STREAMS,
};

const MAX_PROMPT_CHARS = 200_000;
const MAX_IMAGES = 10;

function readRequest(document: JsonDocument): RelayRequest {
  textField(document.value, 'prompt', MAX_PROMPT_CHARS);
  return imageRequest(document);
}

function readVariation(document: JsonDocument, form?: Form): RelayRequest {
  const request = imageRequest(document);
  if (request.stream) refuseField('stream', 'Variations are not streamed. Leave stream out.');
  return withFiles(request, form);
}

function imageRequest(document: JsonDocument): RelayRequest {
  const body = document.value;
  const images = optionalCount(body, 'n', MAX_IMAGES) ?? 1;
  return {
    ...NO_CHAT,
    model: readModel(document),
    stream: optionalFlag(body, 'stream'),
    maxOutputTokens: undefined,
    choices: images,
    images,
    input: countPrompt(body),
    document,
  };
}

/**
 * The tokens of an image depend on the model: only the context bounds them. A free call has no hold, so it counts each image
 * as in a chat.
 */
function withFiles(request: RelayRequest, form: Form | undefined): RelayRequest {
  const { input, document } = request;
  const { images, image, mask } = document.value;
  const named = [images, image, mask].flat().filter((one) => one !== undefined);
  const { length } = form ? [...form.files('image'), ...form.files('mask')] : named;
  const upper = input.upper + length * PER_IMAGE.upper;
  const estimate = input.estimate + length * PER_IMAGE.estimate;
  return { ...request, form, input: { ...input, upper, estimate, isOpen: true } };
}

/** Marks around a prompt that the upstream counts. */
const AROUND_PROMPT = 16;

/** Some upstreams accept input images, or more text, in other fields. */
function countPrompt({ prompt, model: _, ...others }: JsonObject): InputCount {
  const count = countTokens(typeof prompt === 'string' ? prompt : '');
  const isOpen = namesMedia(others);
  const beside = isOpen ? 0 : countTokens(JSON.stringify(others)).upper;
  return { ...count, upper: count.upper + AROUND_PROMPT + beside, isOpen, toolUse: NO_USE };
}

function writeAnswer(document: JsonDocument, model: string, { images }: RelayRequest, usage?: ReportedUsage): string {
  const shown = withoutSurplus(document, images);
  const edits: JsonObject = shown.spans.has('model') ? { model } : {};
  if (usage && isObject(shown.value.usage)) edits.usage = { ...shown.value.usage, ...writeMediaUsage(usage) };
  return editMembers(shown, edits);
}

function createStreamWriter(events: ImageEvents): StreamWriter {
  let completed = 0;
  return createMediaWriter({
    note({ document, name }, sent) {
      if (!document || !hasImage(document.value)) return;
      if (name === events.completed) completed++;
      else if (name !== events.partial) return;
      // Some of the next image was sent.
      sent.images = completed + (name === events.partial ? 1 : 0);
      sent.hasOutput = true;
      sent.hasMedia = true;
    },
  });
}

/** Images beyond the requested number are removed: they are not delivered and not billed. */
function readAnswer({ value }: JsonDocument, request?: Pick<RelayRequest, 'images'>): AnswerFacts | undefined {
  if (!Array.isArray(value.data)) return undefined;
  const all = value.data.filter(hasImage).length;
  const images = Math.min(all, request?.images ?? all);
  const output = imagesOutput(images, all - images);
  const usage = checkReport(usageOf(readMediaUsage(value.usage), images, all), output);
  return { usage, output, finish: 'other' };
}

/** A report for all images, as the share of those that are delivered. */
function usageOf(usage: UsageReport, images: number, all: number): UsageReport {
  if (typeof usage !== 'object' || images === all) return usage;
  const { buckets } = usage;
  return { ...usage, buckets: { ...buckets, output: Math.ceil((buckets.output * images) / all) }, isRestated: true };
}

/** The answer without images beyond the first `wanted`. */
function withoutSurplus(document: JsonDocument, wanted: number): JsonDocument {
  let images = 0;
  const edit = editItems(document.value.data, (item) => {
    if (hasImage(item)) images++;
    return hasImage(item) && images > wanted ? remove : undefined;
  });
  return editMember(document, 'data', edit);
}

/**
 * An answer is whole with `wanted` images, or with fewer if the upstream ends there. So an image waits for something of the
 * next one, or for the end: the last one bears the cost.
 */
function createStreamReader(wanted: number, events: ImageEvents): StreamReader {
  let completed = 0;
  let images = 0;
  let surplus = 0;
  let isWhole = false;
  let waiting: StreamEvent | undefined;
  let usage: UsageReport = 'absent';

  function readEvent({ data = '' }: SseEvent): StreamEvent[] {
    const document = tryReadAnswerJson(data);
    if (!document) return data === '[DONE]' ? [...end(), DONE] : [BROKEN];
    const { type } = document.value;
    const name = typeof type === 'string' && isEventName(type) ? type : undefined;
    if (name === 'error' || isObject(document.value.error)) return [BROKEN];
    if (completed >= wanted && (name === events.completed || name === events.partial)) {
      if (name === events.completed && hasImage(document.value)) surplus++;
      return [];
    }
    if (name === events.completed) return complete(document);
    if (name === events.partial) return [...release(), { kind: 'output', name, document, segments: [] }];
    return [{ kind: 'other', name, document, segments: [] }];
  }

  function complete(document: JsonDocument): StreamEvent[] {
    const isImage = hasImage(document.value);
    completed++;
    if (isImage) images++;
    if (isObject(document.value.usage)) usage = readMediaUsage(document.value.usage);
    const before = release();
    waiting = { kind: isImage ? 'output' : 'other', name: events.completed, document, segments: [] };
    return completed >= wanted ? [...before, ...end()] : before;
  }

  function release(): StreamEvent[] {
    const released = waiting ? [waiting] : [];
    waiting = undefined;
    return released;
  }

  /** If the last event was a part of an image, that image is incomplete. */
  function end(): StreamEvent[] {
    const last = release();
    if (last.length > 0) isWhole = true;
    return last.map((event) => ({ ...event, kind: 'held' }));
  }

  return {
    read: readEvent,
    end,
    facts() {
      const output = imagesOutput(images, surplus);
      return { usage: checkReport(usage, output, isWhole), output, finish: 'other', finished: isWhole };
    },
    isFinished: () => isWhole,
  };
}

function hasImage(item: unknown): item is JsonObject {
  return isObject(item) && [item.b64_json, item.url].some((value) => typeof value === 'string' && value !== '');
}

function imagesOutput(images: number, surplusImages: number): Output {
  const output = { ...NO_OUTPUT, hasContent: images > 0, images };
  return surplusImages > 0 ? { ...output, surplusImages } : output;
}
