// An image request: how many images, and whether they come as a stream. An edit and a variation bring images as files.

import type { JsonDocument, JsonObject } from '../../kit/json/json.ts';
import { countTokens, PER_IMAGE } from '../../kit/tokens.ts';
import { NO_CHAT, type RelayRequest } from '../dialect.ts';
import { optionalCount, optionalFlag, readModel, refuseField, textField } from '../fields.ts';
import type { Form, FormRules } from '../form/form.ts';
import type { InputCount } from '../input/count-input.ts';
import { NO_USE } from '../input/tool-use.ts';
import { namesMedia } from '../input/unknown-media.ts';

const MAX_PROMPT_CHARS = 200_000;
const MAX_IMAGES = 10;

/** A file of 50 MB, the most that OpenAI takes, with the texts beside it. */
const MAX_FORM_BYTES = 51 * 1024 * 1024;
const COUNTS = ['n', 'partial_images', 'output_compression'];

export const EDIT_FORM: FormRules = {
  maxBytes: MAX_FORM_BYTES,
  files: { image: { least: 1, most: 16 }, mask: { least: 0, most: 1 } },
  counts: COUNTS,
  flags: ['stream'],
  takesJson: true,
};

export const VARIATION_FORM: FormRules = {
  maxBytes: MAX_FORM_BYTES,
  files: { image: { least: 1, most: 1 } },
  counts: COUNTS,
  flags: ['stream'],
  takesJson: false,
};

export function readRequest(document: JsonDocument): RelayRequest {
  textField(document.value, 'prompt', MAX_PROMPT_CHARS);
  return imageRequest(document);
}

export function readEdit(document: JsonDocument, form?: Form): RelayRequest {
  return withFiles(readRequest(document), form);
}

export function readVariation(document: JsonDocument, form?: Form): RelayRequest {
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
  const count = form ? form.files('image').length + form.files('mask').length : imagesIn(document.value);
  const upper = input.upper + count * PER_IMAGE.upper;
  const estimate = input.estimate + count * PER_IMAGE.estimate;
  return { ...request, form, input: { ...input, upper, estimate, isOpen: true } };
}

function imagesIn({ images, image, mask }: JsonObject): number {
  return [images, image, mask].reduce<number>(
    (sum, one) => sum + (Array.isArray(one) ? one.length : one === undefined ? 0 : 1),
    0,
  );
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
