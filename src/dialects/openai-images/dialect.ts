// The OpenAI images format. A picture that broke off cannot be continued: another run paints another one.

import { editMembers, isObject } from '../../kit/json.ts';
import { moneyFields } from '../../kit/money.ts';
import { editBody } from '../../kit/request-json.ts';
import type { Dialect, FinalUsage, StreamEvent, StreamWriter } from '../dialect.ts';
import { NEVER_STREAMS } from '../never-streams.ts';
import { writeSse } from '../sse.ts';
import { createStreamReader, readAnswer } from './read-images.ts';
import { readRequest } from './read-request.ts';

export const openaiImages: Dialect = {
  ...NEVER_STREAMS,
  envelope: 'openai',
  endpoint: 'images',
  promptField: 'prompt',
  readRequest,
  writeRequest: ({ document }, { model }) => editBody(document, { model }),
  readAnswer,
  writeAnswer: (document, model) => (document.spans.has('model') ? editMembers(document, { model }) : document.text),
  createStreamReader: ({ images }) => createStreamReader(images),
  createStreamWriter,
};

function createStreamWriter(): StreamWriter {
  let hasSent = false;
  let images = 0;
  let held: StreamEvent[] = [];
  const write = (event: StreamEvent): string => {
    if (!event.document) return '';
    if (event.kind === 'held') {
      held.push(event);
      return '';
    }
    hasSent = true;
    if (event.name === 'image_generation.completed') images++;
    return writeSse(event.document.text, event.name);
  };
  return {
    keepAlive: () => ': ping\n\n',
    write,
    rename: () => {},
    sentText: () => undefined,
    sent: () => ({ tokens: 0, images }),
    continue() {
      held = [];
      return { caughtUp: () => !hasSent, write: (event) => (hasSent ? 'mismatch' : write(event)) };
    },
    end: (final) => held.map((event) => lastEvent(event, final)).join(''),
    error: (body) => writeSse(JSON.stringify(body)),
  };
}

function lastEvent({ document, name }: StreamEvent, { cost }: FinalUsage): string {
  if (!document) return '';
  const usage = isObject(document.value.usage) ? document.value.usage : {};
  const shown = cost === undefined ? usage : { ...usage, ...moneyFields('cost', cost) };
  return writeSse(editMembers(document, { usage: shown }), name);
}
