// What earlier translations left in a history must not reach an upstream that refuses what it does not know: reasoning
// details that name their maker, and what we hung on ids of calls.

import {
  editMembers,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  readJsonObject,
} from '../../kit/json.ts';
import { ID_TAG_PATTERN, TAG } from '../translate/opaque.ts';

/** The same document if there is nothing of ours in it. */
export function stripOwn(document: JsonDocument): JsonDocument {
  const text = document.text.includes(TAG) ? document.text.replace(ID_TAG_PATTERN, '') : document.text;
  const untagged = text === document.text ? document : readJsonObject(text);
  const { messages } = untagged.value;
  if (!Array.isArray(messages) || !messages.some(hasOwnDetails)) return untagged;
  return readJsonObject(editMembers(untagged, { messages: messages.map(withoutOwnDetails) }));
}

function hasOwnDetails(message: Json): message is JsonObject {
  return isObject(message) && Array.isArray(message.reasoning_details) && message.reasoning_details.some(isOwn);
}

function withoutOwnDetails(message: Json): Json {
  if (!hasOwnDetails(message) || !Array.isArray(message.reasoning_details)) return message;
  const kept = message.reasoning_details.filter((detail) => !isOwn(detail));
  return { ...message, reasoning_details: kept.length > 0 ? kept : undefined };
}

function isOwn(detail: Json): boolean {
  return isObject(detail) && typeof detail.origin === 'string';
}
