// What earlier translations left in a history must not reach a vendor that checks it: thinking that we signed in place of
// another model, and what we hung on ids of calls. Everything else keeps its bytes.

import { isObject, type JsonDocument, readJsonObject } from '../../kit/json.ts';
import { openRaw, RawJson, type RawPlace, type RawValue, writeJson } from '../../kit/raw-json.ts';
import { readOwnSignature, TAG_MARK } from '../translate/opaque.ts';
import { mayHoldTags, withoutIdTags } from '../translate/strip-tags.ts';

/** The same document if there is nothing of ours in it. */
export function stripOwn(document: JsonDocument): JsonDocument {
  if (!mayHoldTags(document)) return document;
  const stripped = withoutIdTags(document);
  return hasOwnThinking(stripped) ? withoutOwnThinking(stripped) : stripped;
}

function hasOwnThinking({ value }: JsonDocument): boolean {
  return messagesOf(value.messages).some((message) => contentOf(message).some(isOwnThinking));
}

function withoutOwnThinking(document: JsonDocument): JsonDocument {
  const place = openRaw(document.text);
  const messages = messagesOf(document.value.messages).flatMap((message, index): RawValue[] => {
    const raw = place.at('messages')?.at(index);
    const content = contentOf(message);
    if (!raw || !content.some(isOwnThinking)) return raw ? [new RawJson(raw.text)] : [];
    const kept = content.flatMap((block, at) => (isOwnThinking(block) ? [] : rawOf(raw.at('content')?.at(at))));
    return kept.length > 0 ? [edited(raw, Object.keys(isObject(message) ? message : {}), kept)] : [];
  });
  const members = Object.keys(document.value).map((name): [string, RawValue] => [
    name,
    name === 'messages' ? messages : new RawJson(place.at(name)?.text ?? 'null'),
  ]);
  return readJsonObject(writeJson(Object.fromEntries(members)));
}

function edited(raw: RawPlace, names: readonly string[], content: RawValue): RawValue {
  return Object.fromEntries(
    names.map((name) => [name, name === 'content' ? content : new RawJson(raw.at(name)?.text ?? 'null')]),
  );
}

function rawOf(place: RawPlace | undefined): RawJson[] {
  return place ? [new RawJson(place.text)] : [];
}

function isOwnThinking(block: unknown): boolean {
  if (!isObject(block)) return false;
  const { type, signature, data } = block;
  if (type === 'redacted_thinking') return typeof data === 'string' && data.startsWith(TAG_MARK);
  return type === 'thinking' && typeof signature === 'string' && readOwnSignature(signature) !== undefined;
}

function messagesOf(messages: unknown): unknown[] {
  return Array.isArray(messages) ? messages : [];
}

function contentOf(message: unknown): unknown[] {
  return isObject(message) && Array.isArray(message.content) ? message.content : [];
}
