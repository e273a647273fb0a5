// Images in an answer, whole or streamed: counted, never looked at.

import {
  ANSWER_LIMITS,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  JsonRefused,
  readJsonObject,
} from '../../kit/json/json.ts';
import { NO_BUCKETS } from '../../store/rows.ts';
import { readCount } from '../counts.ts';
import {
  type AnswerFacts,
  NO_OUTPUT,
  type Output,
  type StreamEvent,
  type StreamReader,
  type UsageReport,
} from '../dialect.ts';
import { BROKEN, DONE } from '../stream/bare-events.ts';
import type { SseEvent } from '../stream/sse.ts';

export const COMPLETED = 'image_generation.completed';
export const PARTIAL = 'image_generation.partial_image';

export function readAnswer({ value }: JsonDocument): AnswerFacts | undefined {
  if (!Array.isArray(value.data)) return undefined;
  return { usage: readUsage(value.usage), output: imagesOutput(value.data.filter(hasImage).length), finish: 'other' };
}

/** `wanted`: how many images complete the answer. */
export function createStreamReader(wanted: number): StreamReader {
  let completed = 0;
  let usage: UsageReport = 'absent';

  function readEvent({ data = '' }: SseEvent): StreamEvent {
    const document = tryRead(data);
    if (!document) return data === '[DONE]' ? DONE : BROKEN;
    const { type } = document.value;
    const name = typeof type === 'string' ? type : undefined;
    if (name === 'error' || isObject(document.value.error)) return BROKEN;
    if (name === COMPLETED) {
      if (hasImage(document.value)) completed++;
      if (isObject(document.value.usage)) usage = readUsage(document.value.usage);
      return { kind: completed >= wanted ? 'held' : 'output', name, document, pieces: [] };
    }
    return { kind: name === PARTIAL ? 'output' : 'other', name, document, pieces: [] };
  }

  return {
    read: (event) => [readEvent(event)],
    end: () => [],
    facts: () => ({ usage, output: imagesOutput(completed), finish: 'other', finished: completed >= wanted }),
    isFinished: () => completed >= wanted,
  };
}

function readUsage(usage: Json | undefined): UsageReport {
  if (usage === undefined || usage === null) return 'absent';
  if (!isObject(usage)) return 'invalid';
  const input = readCount(usage.input_tokens);
  const output = readCount(usage.output_tokens);
  if (input === undefined || output === undefined) return 'invalid';
  return { buckets: { ...NO_BUCKETS, input, output }, reasoning: 0 };
}

export function hasImage(item: Json): item is JsonObject {
  return isObject(item) && [item.b64_json, item.url].some((value) => typeof value === 'string' && value !== '');
}

function imagesOutput(images: number): Output {
  return { ...NO_OUTPUT, hasContent: images > 0, images };
}

function tryRead(data: string): JsonDocument | undefined {
  try {
    return readJsonObject(data, ANSWER_LIMITS);
  } catch (error) {
    if (error instanceof JsonRefused) return undefined;
    throw error;
  }
}
