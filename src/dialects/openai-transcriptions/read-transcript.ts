// A transcript, whole or as a stream of deltas and a last event with all of the text, and its usage: tokens or seconds as the
// upstream reports them, or else by our own count.

import { isObject, type Json, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { weighTokens, wholeTokens } from '../../kit/tokens.ts';
import { type Buckets, NO_BUCKETS } from '../../store/rows.ts';
import { isFigure, mostReported, readCount } from '../counts.ts';
import {
  type AnswerFacts,
  NO_OUTPUT,
  type Output,
  type RelayRequest,
  type StreamEvent,
  type StreamReader,
  type StreamWriter,
} from '../dialect.ts';
import { createMediaWriter } from '../openai-media.ts';
import { BROKEN, DONE } from '../stream/bare-events.ts';
import type { OtherForm } from '../stream/other-form.ts';
import { isEventName, type SseEvent, writeSse } from '../stream/sse.ts';

export function readTranscript(value: JsonObject, request?: RelayRequest): AnswerFacts | undefined {
  if (typeof value.text !== 'string') return undefined;
  const output = outputOf(value.text !== '', weighTokens(value.text));
  return { usage: usageOf(value, output, request), output, finish: 'other' };
}

function outputOf(hasContent: boolean, tokens: number): Output {
  return { ...NO_OUTPUT, hasContent, tokens };
}

/** Usage in an answer or in the event that ends a stream. */
function usageOf({ usage, duration }: JsonObject, { tokens }: Output, request: RelayRequest | undefined) {
  const reported = isObject(usage) ? usage : {};
  const read = readTokens(reported);
  const most = mostReported(request?.seconds);
  const seconds = readSeconds(reported.seconds, most) ?? readSeconds(duration, most);
  const figures = [reported.seconds, duration];
  const isImplausible = seconds === undefined && figures.some(isFigure);
  // More than the bound: it may be true of a file whose length is not known, so the bound is billed.
  const { seconds: bound = 0, likelySeconds: likely = bound } = request ?? {};
  const isTooLong = isImplausible && bound > likely + 1 && figures.some((figure) => Number(figure) > most);
  const counted: (keyof Buckets)[] = [];
  if (!read) counted.push('input', 'output');
  if (seconds === undefined) counted.push('seconds');
  const buckets = {
    ...NO_BUCKETS,
    ...(read ?? { input: request?.input.estimate ?? 0, output: wholeTokens(tokens) }),
    seconds: seconds ?? (isTooLong ? bound : likely),
  };
  return {
    buckets,
    reasoning: 0,
    ...(counted.length > 0 ? { counted } : {}),
    ...(isImplausible ? { isImplausible } : {}),
  };
}

/** Zeros mean that nothing was counted. */
function readTokens({ input_tokens, output_tokens }: JsonObject): Pick<Buckets, 'input' | 'output'> | undefined {
  const [input, output] = [readCount(input_tokens), readCount(output_tokens)];
  return input !== undefined && output !== undefined && input + output > 0 ? { input, output } : undefined;
}

/** Begun seconds count as whole ones. Some upstreams write the length as text. */
function readSeconds(value: Json | undefined, most: number): number | undefined {
  const seconds = typeof value === 'string' && /^\d{1,7}(\.\d{1,9})?$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 && seconds <= most ? Math.ceil(seconds) : undefined;
}

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
  const { sent } = writer.transcript;
  return { ...writer, transcript: { sent, plainTokens: () => sent.tokens } };
}

export const OTHER_FORM: OtherForm = {
  writeAsStream({ value: { text, usage, duration } }) {
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
