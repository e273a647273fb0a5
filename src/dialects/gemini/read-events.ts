// Reads Gemini's answers as events. A whole answer and a chunk of a stream have the same form; parts come one after the
// other, calls always whole, and there is no end mark. Each chunk may say why the answer ended, and others may still follow:
// the last reason counts, once no more can come.

import {
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  objectsOf,
  tryParseJson,
} from '../../kit/json/json.ts';
import { openRaw, type RawPlace } from '../../kit/json/raw-json.ts';
import type { UsageReport } from '../dialect.ts';
import { nonEmptyString } from '../fields.ts';
import type { Target } from '../translate/adapters.ts';
import type { AnswerEvent, EventReader, StopReason, WholeEvents } from '../translate/answer-events.ts';
import { blockedBecause, vendorRefusal } from '../translate/vendor-refusal.ts';
import { isChunk, isFailure } from './read-candidate.ts';
import { createPartReader } from './read-parts.ts';
import { readUsage } from './read-usage.ts';

const DONE = '[DONE]';
const BROKEN: AnswerEvent = { type: 'broken' };
const GAVE_UP: AnswerEvent = { type: 'broken', gaveUp: true };

/** Values that mean no reason yet. */
const NO_REASON: ReadonlySet<string> = new Set(['', 'FINISH_REASON_UNSPECIFIED']);

interface AnswerReader {
  take(chunk: Json | undefined, place: RawPlace | undefined): AnswerEvent[];
  /** No more can come. */
  end(): AnswerEvent[];
  /** The reason why it ended was read and not yet returned. */
  hasReason(): boolean;
  usage(): UsageReport;
}

export function createEventReader(target: Target): EventReader {
  const answer = createAnswerReader(target);
  return {
    read({ data = '' }) {
      // Some proxies in between end every stream with an end mark.
      if (data === DONE) return [...answer.end(), { type: 'done' }];
      const value = tryParseJson(data);
      const place = openRaw(data);
      if (!Array.isArray(value)) return answer.take(value, place);
      return value.flatMap((chunk, index) => answer.take(chunk, place.at(index)));
    },
    end: answer.end,
    isWhole: answer.hasReason,
    facts: () => ({ usage: answer.usage() }),
  };
}

export function readWhole({ value, text }: JsonDocument, target: Target): WholeEvents | undefined {
  const answer = createAnswerReader(target);
  const events = [...answer.take(value, openRaw(text)), ...answer.end()];
  const isWhole = !events.includes(BROKEN) && events.some(({ type }) => type === 'stop' || type === 'broken');
  return isWhole ? { events, usage: answer.usage() } : undefined;
}

function createAnswerReader(target: Target): AnswerReader {
  const parts = createPartReader(target.requestId);
  let reported: Json | undefined;
  let reason: string | undefined;
  /** Why an answer with that reason was stopped, if the vendor did it. */
  let blocking = '';
  let isOver = false;

  function takeCandidate(candidate: JsonObject, place: RawPlace | undefined): AnswerEvent[] {
    const { content, finishReason } = candidate;
    const list = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
    const places = place?.at('content')?.at('parts');
    const events = list.flatMap((part, index) => parts.take(part, places?.at(index)));
    if (typeof finishReason !== 'string' || NO_REASON.has(finishReason)) return events;
    reason = finishReason;
    blocking = answerBlocked(candidate);
    return readStop(reason, parts.said()) === undefined ? [...events, ...end()] : events;
  }

  function end(): AnswerEvent[] {
    if (isOver || reason === undefined) return [];
    isOver = true;
    const stop = readStop(reason, parts.said());
    if (stop === undefined) return [GAVE_UP];
    const refusal = stop === 'filter' ? vendorRefusal(blocking) : [];
    return [...parts.close(), ...refusal, { type: 'stop', reason: stop }];
  }

  function blocked(feedback: Json | undefined): AnswerEvent[] {
    if (!isObject(feedback) || typeof feedback.blockReason !== 'string') return [];
    isOver = true;
    return [...parts.close(), ...vendorRefusal(promptBlocked(feedback)), { type: 'stop', reason: 'filter' }];
  }

  return {
    take(chunk, place) {
      if (!isObject(chunk) || !isChunk(chunk)) return [BROKEN];
      reported = chunk.usageMetadata ?? reported;
      if (isOver) return [];
      const candidates = Array.isArray(chunk.candidates) ? chunk.candidates : [];
      const index = candidates.findIndex((candidate) => isObject(candidate) && (candidate.index ?? 0) === 0);
      const first = candidates[index];
      return isObject(first) ? takeCandidate(first, place?.at('candidates')?.at(index)) : blocked(chunk.promptFeedback);
    },
    end,
    hasReason: () => reason !== undefined && !isOver,
    usage() {
      const { hasText, hasCalls } = parts.said();
      return readUsage(reported, hasText || hasCalls);
    },
  };
}

// Why Gemini blocked a prompt, or stopped an answer: its own message, else the reason with the ratings that led to it.
function promptBlocked({ blockReason, blockReasonMessage, safetyRatings }: JsonObject): string {
  return (
    nonEmptyString(blockReasonMessage) ?? blockedBecause('prompt', withRatings(String(blockReason), safetyRatings))
  );
}

function answerBlocked({ finishReason, finishMessage, safetyRatings }: JsonObject): string {
  return nonEmptyString(finishMessage) ?? blockedBecause('answer', withRatings(String(finishReason), safetyRatings));
}

function withRatings(reason: string, ratings: Json | undefined): string {
  const list = objectsOf(ratings);
  const blocked = list.flatMap(({ blocked: isBlocked, category }) => (isBlocked === true ? [String(category)] : []));
  return blocked.length === 0 ? reason : `${reason} (${blocked.join(', ')})`;
}

// Why Gemini ended. It has no reason for "waits for results": every answer with a call does.
const FILTERED = /^(?:SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED_CONTENT|SPII|NO_IMAGE|IMAGE_\w+)$/;

/** Undefined if there was no usable output. */
function readStop(why: string, said: { hasText: boolean; hasCalls: boolean }): StopReason | undefined {
  if (why === 'MAX_TOKENS') return 'length';
  if (FILTERED.test(why)) return 'filter';
  if (isFailure(why) && !said.hasText && !said.hasCalls) return undefined;
  return said.hasCalls ? 'tool' : 'end';
}
