// Transcripts as a stream: deltas of the text, and a last event with all of it and the usage. A stream that broke off is not
// continued, because another run may produce other words.

import { editMembers, isObject, type JsonDocument, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { weighTokens } from '../../kit/tokens.ts';
import type { FinalUsage, RelayRequest, Sent, StreamEvent, StreamReader, StreamWriter } from '../dialect.ts';
import { BROKEN, DONE } from '../stream/bare-events.ts';
import type { OtherForm } from '../stream/other-form.ts';
import { isEventName, type SseEvent, writeSse } from '../stream/sse.ts';
import { withCost } from '../with-cost.ts';
import { outputOf, usageOf } from './read-transcript.ts';

const DELTA = 'transcript.text.delta';
const LAST = 'transcript.text.done';
const SLOT = '0/text';

export function createStreamReader(request: RelayRequest): StreamReader {
  let last: JsonObject | undefined;
  let tokens = 0;
  let hasContent = false;

  function note(text: string): void {
    tokens += weighTokens(text);
    if (text !== '') hasContent = true;
  }

  function read({ data = '' }: SseEvent): StreamEvent[] {
    const document = tryReadAnswerJson(data);
    if (!document) return [data === '[DONE]' ? DONE : BROKEN];
    const { type, delta, text, error } = document.value;
    const name = typeof type === 'string' && isEventName(type) ? type : undefined;
    if (name === 'error' || isObject(error)) return [BROKEN];
    if (last) return [];
    if (name === DELTA && typeof delta === 'string' && delta !== '') {
      note(delta);
      return [{ kind: 'output', name, document, segments: [{ slot: SLOT, text: delta }] }];
    }
    if (name !== LAST) return [{ kind: 'other', name, document, segments: [] }];
    if (typeof text !== 'string') return [BROKEN];
    last = document.value;
    // An upstream may send all of the text at once.
    if (!hasContent) note(text);
    return [{ kind: 'held', name, document, segments: [] }];
  }

  return {
    read,
    end: () => [],
    facts() {
      const output = outputOf(hasContent, tokens);
      return { usage: usageOf(last ?? {}, output, request), output, finish: 'other', finished: last !== undefined };
    },
    isFinished: () => last !== undefined,
  };
}

export function createStreamWriter(): StreamWriter {
  const sent: Sent = { hasOutput: false, hasMedia: false, tokens: 0, images: 0 };
  let held: StreamEvent[] = [];
  const write = (event: StreamEvent): string => {
    if (!event.document) return '';
    if (event.kind === 'held') {
      held.push(event);
      return '';
    }
    for (const { text } of event.segments) sent.tokens += weighTokens(text);
    if (event.kind === 'output') sent.hasOutput = true;
    return writeSse(event.document.text, event.name);
  };
  return {
    write,
    keepAlive: () => ': ping\n\n',
    rename: () => {},
    sentText: () => undefined,
    sent: () => sent,
    plainTokens: () => sent.tokens,
    continue() {
      held = [];
      const hasSent = sent.hasOutput;
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
  return writeSse(editMembers(document, { usage: withCost(usage, cost) }), name);
}

export const OTHER_FORM: OtherForm = {
  writeAsStream({ value: { text, usage, duration } }: JsonDocument): string {
    const delta = { type: DELTA, delta: text };
    return [delta, { type: LAST, text, usage, duration }]
      .map((event) => writeSse(JSON.stringify(event), event.type))
      .join('');
  },
  joinStream(events) {
    const last = events.map(({ data = '' }) => tryReadAnswerJson(data)?.value).find((value) => value?.type === LAST);
    return last && { text: last.text, usage: last.usage };
  },
};
