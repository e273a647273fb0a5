// What earlier translations left in a history must not reach an upstream that refuses what it does not know: reasoning
// details that name their maker, and what we hung on calls and their ids.

import { editMembers, isObject, type Json, type JsonDocument, readJsonObject } from '../../kit/json.ts';
import { untagToolId } from '../translate/opaque.ts';
import { mayHoldTags, withoutIdTags } from '../translate/strip-tags.ts';

/** The same document if there is nothing of ours in it. */
export function stripOwn(document: JsonDocument): JsonDocument {
  const { messages } = document.value;
  const hasOwn =
    Array.isArray(messages) && messages.some((message) => hasOwnDetails(message) || hasTaggedCalls(message));
  const stripped = hasOwn ? readJsonObject(editMembers(document, { messages: messages.map(withoutOwn) })) : document;
  return mayHoldTags(stripped) ? withoutIdTags(stripped) : stripped;
}

function hasOwnDetails(message: Json): boolean {
  return isObject(message) && Array.isArray(message.reasoning_details) && message.reasoning_details.some(isOwn);
}

function hasTaggedCalls(message: Json): boolean {
  return isObject(message) && Array.isArray(message.tool_calls) && message.tool_calls.some(isTagged);
}

function withoutOwn(message: Json): Json {
  if (!isObject(message)) return message;
  const { reasoning_details: details, tool_calls: calls } = message;
  const kept = Array.isArray(details) ? details.filter((detail) => !isOwn(detail)) : [];
  return {
    ...message,
    ...(hasOwnDetails(message) ? { reasoning_details: kept.length > 0 ? kept : undefined } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(withoutSignature) } : {}),
  };
}

/** What a tagged id carries stands beside it once more. */
function withoutSignature(call: Json): Json {
  return isObject(call) && isTagged(call) ? { ...call, extra_content: undefined } : call;
}

function isTagged(call: Json): boolean {
  return isObject(call) && typeof call.id === 'string' && untagToolId(call.id).opaque !== undefined;
}

function isOwn(detail: Json): boolean {
  return isObject(detail) && typeof detail.origin === 'string';
}
