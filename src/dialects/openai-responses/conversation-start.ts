// What a conversation with sealed reasoning began with. Only the upstream account that sealed it can read it, so all calls
// of one conversation must rank channels alike, though few clients name it: what came before the model's first output is the
// same in each.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { asksForSealed } from './sealed-reasoning.ts';

const GIVEN_ROLES: ReadonlySet<Json | undefined> = new Set(['user', 'system', 'developer']);
/** Enough to distinguish conversations without reading long prompts. */
const MAX_ITEMS = 8;
const MAX_TEXTS = 8;
const MAX_TEXT_CHARS = 500;

/** Undefined where no reasoning is sealed: such a conversation may go anywhere. */
export function conversationStart(body: JsonObject): string | undefined {
  const { input } = body;
  if (!asksForSealed(body) && !(Array.isArray(input) && input.some(isSealed))) return undefined;
  if (typeof input === 'string') return writeItem('user', [input]);
  if (!Array.isArray(input)) return undefined;
  const said = input.findIndex((item) => !isGiven(item));
  const given = said < 0 ? input : input.slice(0, said);
  return given
    .slice(0, MAX_ITEMS)
    .filter(isObject)
    .map(({ role, content }) => writeItem(role, textsOf(content)))
    .join('');
}

/** Checks only the name, because reading the value would decode a long text. */
function isSealed(item: Json): boolean {
  return isObject(item) && Object.hasOwn(item, 'encrypted_content');
}

/** Not the model's own. */
function isGiven(item: Json): boolean {
  return isObject(item) && (item.type ?? 'message') === 'message' && GIVEN_ROLES.has(item.role);
}

/** A text is the same, alone or as a part. */
function textsOf(content: Json | undefined): string[] {
  if (typeof content === 'string') return [content];
  const parts = Array.isArray(content) ? content.slice(0, MAX_TEXTS) : [];
  return parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []));
}

function writeItem(role: Json | undefined, texts: readonly string[]): string {
  return JSON.stringify([role ?? null, ...texts.flatMap((text) => [text.length, text.slice(0, MAX_TEXT_CHARS)])]);
}
