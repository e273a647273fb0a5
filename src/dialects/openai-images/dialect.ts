// The OpenAI images formats: a picture from a prompt, an edit of pictures, and variations of one. A picture that broke off
// cannot be continued: another run paints another one.

import { fault } from '../../faults/fault.ts';
import { editMembers, isObject, type Json, type JsonDocument } from '../../kit/json/json.ts';
import type {
  AnswerFormat,
  Dialect,
  LongMemberRules,
  RelayRequest,
  ReportedUsage,
  RequestFormat,
  StreamFormat,
  StreamWriter,
} from '../dialect.ts';
import { writeSame } from '../form/form.ts';
import { createMediaWriter, writeMediaUsage } from '../openai-media.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import {
  createStreamReader,
  EDIT_EVENTS,
  GENERATION_EVENTS,
  hasImage,
  type ImageEvents,
  readAnswer,
  withoutSurplus,
} from './read-images.ts';
import { EDIT_FORM, readEdit, readRequest, readVariation, VARIATION_FORM } from './read-request.ts';

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

const REQUEST = {
  promptField: 'prompt',
  defaultModel: 'dall-e-2',
  write: (request, { model }, removed) => writeSame(request, { model }, removed),
} satisfies Partial<RequestFormat>;

const ANSWER: AnswerFormat = { read: readAnswer, write: writeAnswer, longMembers: LONG_MEMBERS };

function streamOf(events: ImageEvents): StreamFormat {
  return {
    ...NEVER_STREAMS,
    createReader: ({ images }) => createStreamReader(images, events),
    createWriter: () => createStreamWriter(events),
  };
}

export const openaiImages: Dialect = {
  endpoint: 'images',
  envelope: 'openai',
  request: { ...REQUEST, read: readRequest },
  answer: ANSWER,
  stream: streamOf(GENERATION_EVENTS),
};

export const openaiImageEdits: Dialect = {
  endpoint: 'image_edits',
  isOptional: true,
  envelope: 'openai',
  request: { ...REQUEST, form: EDIT_FORM, read: readEdit },
  answer: ANSWER,
  stream: streamOf(EDIT_EVENTS),
};

export const openaiImageVariations: Dialect = {
  endpoint: 'image_variations',
  isOptional: true,
  envelope: 'openai',
  request: { ...REQUEST, form: VARIATION_FORM, read: readVariation },
  answer: ANSWER,
  stream: NEVER_STREAMS,
};

function writeAnswer(document: JsonDocument, model: string, { images }: RelayRequest, usage?: ReportedUsage): string {
  const shown = withoutSurplus(document, images);
  const edits: Record<string, Json> = shown.spans.has('model') ? { model } : {};
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
