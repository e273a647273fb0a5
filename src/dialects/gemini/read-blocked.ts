// Why Gemini blocked a prompt, or stopped an answer: its own message, else the reason with the ratings that led to it.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { blockedBecause } from '../translate/vendor-refusal.ts';

export function promptBlocked({ blockReason, blockReasonMessage, safetyRatings }: JsonObject): string {
  return filled(blockReasonMessage) ?? blockedBecause('prompt', withRatings(String(blockReason), safetyRatings));
}

export function answerBlocked({ finishReason, finishMessage, safetyRatings }: JsonObject): string {
  return filled(finishMessage) ?? blockedBecause('answer', withRatings(String(finishReason), safetyRatings));
}

function withRatings(reason: string, ratings: Json | undefined): string {
  const list = Array.isArray(ratings) ? ratings.filter(isObject) : [];
  const blocked = list.flatMap(({ blocked: isBlocked, category }) => (isBlocked === true ? [String(category)] : []));
  return blocked.length === 0 ? reason : `${reason} (${blocked.join(', ')})`;
}

function filled(text: Json | undefined): string | undefined {
  return typeof text === 'string' && text !== '' ? text : undefined;
}
