// The OpenAI images formats: a picture from a prompt, an edit of pictures, and variations of one. A picture that broke off
// cannot be continued: another run paints another one.

import { fault } from '../../faults/fault.ts';
import { editMembers, isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import type {
  AnswerFormat,
  Dialect,
  FinalUsage,
  LongMemberRules,
  RelayRequest,
  ReportedUsage,
  RequestFormat,
  Sent,
  StreamEvent,
  StreamFormat,
  StreamWriter,
} from '../dialect.ts';
import { writeSame } from '../form/form.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { writeSse } from '../stream/sse.ts';
import { withCost } from '../with-cost.ts';
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
  if (usage && isObject(shown.value.usage)) edits.usage = withTokens(shown.value.usage, usage);
  return editMembers(shown, edits);
}

function withTokens(usage: JsonObject, { buckets: { input, output } }: ReportedUsage): JsonObject {
  return { ...usage, input_tokens: input, output_tokens: output, total_tokens: input + output };
}

function createStreamWriter(events: ImageEvents): StreamWriter {
  let hasSent = false;
  let completed = 0;
  /** Some of the next image was sent. */
  let isPainting = false;
  let held: StreamEvent[] = [];
  const write = (event: StreamEvent): string => {
    if (!event.document) return '';
    if (event.kind === 'held') {
      held.push(event);
      return '';
    }
    hasSent = true;
    if (hasImage(event.document.value)) noteImage(event.name);
    return writeSse(event.document.text, event.name);
  };

  function noteImage(name: string | undefined): void {
    if (name === events.completed) completed++;
    if (name === events.completed || name === events.partial) isPainting = name === events.partial;
  }

  function sent(): Sent {
    const images = completed + (isPainting ? 1 : 0);
    return { hasOutput: images > 0, hasMedia: images > 0, tokens: 0, images };
  }

  return {
    keepAlive: () => ': ping\n\n',
    write,
    rename: () => {},
    sentText: () => undefined,
    sent,
    continue() {
      held = [];
      return { caughtUp: () => !hasSent, write: (event) => (hasSent ? 'mismatch' : write(event)) };
    },
    stopAtBound: () => '',
    end: (final) => held.map((event) => lastEvent(event, final)).join(''),
    error: (body) => writeSse(JSON.stringify(body)),
  };
}

function lastEvent({ document, name }: StreamEvent, { cost }: FinalUsage): string {
  if (!document) return '';
  const usage = isObject(document.value.usage) ? document.value.usage : {};
  const shown = withCost(usage, cost);
  return writeSse(editMembers(document, { usage: shown }), name);
}
