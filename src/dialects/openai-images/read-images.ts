// Counts the images of an answer, whole or streamed. Those beyond the requested number are removed: they are not delivered and
// not billed.

import { isObject, type Json, type JsonDocument, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { editItems, editMember, remove } from '../../kit/json/raw-edit.ts';
import { checkReport } from '../counts.ts';
import {
  type AnswerFacts,
  NO_OUTPUT,
  type Output,
  type RelayRequest,
  type StreamEvent,
  type StreamReader,
  type UsageReport,
} from '../dialect.ts';
import { readMediaUsage } from '../openai-media.ts';
import { BROKEN, DONE } from '../stream/bare-events.ts';
import { isEventName, type SseEvent } from '../stream/sse.ts';

/** The names of the events of a stream. */
export interface ImageEvents {
  partial: string;
  completed: string;
}

export const GENERATION_EVENTS: ImageEvents = {
  partial: 'image_generation.partial_image',
  completed: 'image_generation.completed',
};
export const EDIT_EVENTS: ImageEvents = { partial: 'image_edit.partial_image', completed: 'image_edit.completed' };

export function readAnswer({ value }: JsonDocument, request?: Pick<RelayRequest, 'images'>): AnswerFacts | undefined {
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
export function withoutSurplus(document: JsonDocument, wanted: number): JsonDocument {
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
export function createStreamReader(wanted: number, events: ImageEvents): StreamReader {
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

export function hasImage(item: Json): item is JsonObject {
  return isObject(item) && [item.b64_json, item.url].some((value) => typeof value === 'string' && value !== '');
}

function imagesOutput(images: number, surplusImages: number): Output {
  const output = { ...NO_OUTPUT, hasContent: images > 0, images };
  return surplusImages > 0 ? { ...output, surplusImages } : output;
}
