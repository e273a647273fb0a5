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
import {
  type AnswerEvent,
  blockedBecause,
  type Delta,
  type EventReader,
  pictureText,
  type StopReason,
  vendorRefusal,
  type WholeEvents,
} from '../translate/answer-events.ts';
import { isChunk, isFailure, readUsage } from './read-answer.ts';

const DONE = '[DONE]';
const BROKEN: AnswerEvent = { type: 'broken' };
const GAVE_UP: AnswerEvent = { type: 'broken', gaveUp: true };

/** Values that mean no reason yet. */
const NO_REASON: ReadonlySet<string> = new Set(['', 'FINISH_REASON_UNSPECIFIED']);

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

function createAnswerReader(target: Target) {
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
    blocking = whyBlocked('answer', finishReason, candidate.finishMessage, candidate.safetyRatings);
    return readStop(reason, parts.said()) === undefined ? [...events, ...end()] : events;
  }

  /** No more can come. */
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
    const { blockReason, blockReasonMessage, safetyRatings } = feedback;
    const why = whyBlocked('prompt', blockReason, blockReasonMessage, safetyRatings);
    return [...parts.close(), ...vendorRefusal(why), { type: 'stop', reason: 'filter' }];
  }

  return {
    take(chunk: Json | undefined, place: RawPlace | undefined): AnswerEvent[] {
      if (!isObject(chunk) || !isChunk(chunk)) return [BROKEN];
      reported = chunk.usageMetadata ?? reported;
      if (isOver) return [];
      const candidates = Array.isArray(chunk.candidates) ? chunk.candidates : [];
      const index = candidates.findIndex((candidate) => isObject(candidate) && (candidate.index ?? 0) === 0);
      const first = candidates[index];
      return isObject(first) ? takeCandidate(first, place?.at('candidates')?.at(index)) : blocked(chunk.promptFeedback);
    },
    end,
    /** The reason why it ended was read and not yet returned. */
    hasReason: () => reason !== undefined && !isOver,
    usage(): UsageReport {
      const { hasText, hasCalls } = parts.said();
      return readUsage(reported, hasText || hasCalls);
    },
  };
}

// Why Gemini blocked a prompt, or stopped an answer: its own message, else the reason with the ratings that led to it.
function whyBlocked(what: 'prompt' | 'answer', reason: string, message: Json | undefined, ratings: Json | undefined) {
  const list = objectsOf(ratings);
  const blocked = list.flatMap(({ blocked: isBlocked, category }) => (isBlocked === true ? [String(category)] : []));
  const rated = blocked.length === 0 ? reason : `${reason} (${blocked.join(', ')})`;
  return nonEmptyString(message) ?? blockedBecause(what, rated);
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

/**
 * The parts of an answer as blocks. Calls often have no id of their own, or another call's, and get one that no other request
 * has; their arguments stay the text they are.
 */
function createPartReader(requestId: string) {
  let open: 'text' | 'reasoning' | undefined;
  /** The signature of the open reasoning or text. */
  let signature: string | undefined;
  const ids = new Set<string>();
  let calls = 0;
  let hasText = false;

  function close(): AnswerEvent[] {
    if (!open) return [];
    const signed: AnswerEvent[] = signature === undefined ? [] : [{ type: 'sign', signature }];
    open = undefined;
    signature = undefined;
    return [...signed, { type: 'close' }];
  }

  function addText(kind: 'text' | 'reasoning', said: Delta): AnswerEvent[] {
    if (said.text === '') return [];
    if (kind === 'text') hasText = true;
    if (open === kind) return [said];
    const closed = close();
    open = kind;
    return [...closed, { type: 'open', block: { kind } }, said];
  }

  function takeCall({ id, name }: JsonObject, args: string, signed: string | undefined): AnswerEvent[] {
    if (typeof name !== 'string' || name === '') return [];
    const made = `call_${requestId.replace(/^req_/, '')}_${calls++}`;
    const own = typeof id === 'string' && id !== '' && !ids.has(id) ? id : made;
    ids.add(own);
    const block = { kind: 'tool', id: own, name, signature: signed } as const;
    return [...close(), { type: 'open', block }, { type: 'delta', text: args }, { type: 'close' }];
  }

  return {
    take(part: Json, place: RawPlace | undefined): AnswerEvent[] {
      if (!isObject(part)) return [];
      const { thoughtSignature, functionCall, text, inlineData } = part;
      const signed = typeof thoughtSignature === 'string' && thoughtSignature !== '' ? thoughtSignature : undefined;
      if (isObject(functionCall)) {
        const args = isObject(functionCall.args) ? place?.at('functionCall')?.at('args')?.text : undefined;
        return takeCall(functionCall, args ?? '{}', signed);
      }
      if (isObject(inlineData)) return addText('text', { type: 'delta', text: picture(inlineData), isMedia: true });
      const kind = part.thought === true ? 'reasoning' : 'text';
      // The signature of reasoning comes with it, or with the first text after it; that of text may come with an empty part.
      const isOfThoughtsBefore = kind === 'text' && open === 'reasoning';
      if (isOfThoughtsBefore) signature = signed ?? signature;
      const said = addText(kind, { type: 'delta', text: typeof text === 'string' ? text : '' });
      if (open && !isOfThoughtsBefore) signature = signed ?? signature;
      return said;
    },
    close,
    said: () => ({ hasText, hasCalls: calls > 0 }),
  };
}

function picture({ mimeType, data }: JsonObject): string {
  const isWhole = typeof mimeType === 'string' && typeof data === 'string';
  return isWhole ? pictureText(`data:${mimeType};base64,${data}`) : '';
}
