// Transcripts as a stream: deltas of the text, and a last event with all of it and the usage. A stream that broke off is not
// continued, because another run may produce other words.

import { isObject, type JsonDocument, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { weighTokens } from '../../kit/tokens.ts';
import type { RelayRequest, StreamEvent, StreamReader, StreamWriter } from '../dialect.ts';
import { createMediaWriter } from '../openai-media.ts';
import { BROKEN, DONE } from '../stream/bare-events.ts';
import type { OtherForm } from '../stream/other-form.ts';
import { isEventName, type SseEvent, writeSse } from '../stream/sse.ts';
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
  const writer = createMediaWriter({
    note({ kind, segments }, sent) {
      for (const { text } of segments) sent.tokens += weighTokens(text);
      if (kind === 'output') sent.hasOutput = true;
    },
  });
  return { ...writer, plainTokens: () => writer.sent().tokens };
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
