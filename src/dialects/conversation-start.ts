// The beginning of a conversation, which identifies it, because few clients name theirs. Only the upstream account that
// sealed the reasoning can read it, so all calls of a conversation must rank channels alike. The content before the model's
// first output is the same in each call.

import { isObject, type Json, type JsonObject } from '../kit/json/json.ts';

/** Enough to distinguish conversations without reading long prompts. */
const MAX_ITEMS = 8;
const MAX_TEXTS = 8;
const MAX_TEXT_CHARS = 500;

/** `items`: with a role and content, which is a text or a list of parts. Those before the first that is not given count. */
export function writeStart(items: readonly Json[], isGiven: (item: JsonObject) => boolean): string {
  const said = items.findIndex((item) => !isObject(item) || !isGiven(item));
  const given = said < 0 ? items : items.slice(0, said);
  return given
    .slice(0, MAX_ITEMS)
    .filter(isObject)
    .map(({ role, content }) => writeItem(role, textsOf(content)))
    .join('');
}

/** A text counts the same, alone or as a part. */
function textsOf(content: Json | undefined): string[] {
  if (typeof content === 'string') return [content];
  const parts = Array.isArray(content) ? content.slice(0, MAX_TEXTS) : [];
  return parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []));
}

function writeItem(role: Json | undefined, texts: readonly string[]): string {
  return JSON.stringify([role ?? null, ...texts.flatMap((text) => [text.length, text.slice(0, MAX_TEXT_CHARS)])]);
}
