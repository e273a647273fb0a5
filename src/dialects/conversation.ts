// What identifies a conversation: the caller's name for it, or its beginning. A name chooses a channel in memory, and it is the
// session of session budgets, for which a keyed hash of it is stored. It is not logged.

import { fault } from '../faults/fault.ts';
import { isObject, type Json, type JsonObject } from '../kit/json/json.ts';
import { nonEmptyString } from './fields.ts';

const HEADERS = ['x-session-id', 'x-session-affinity', 'session-id', 'x-claude-code-session-id'];
const MAX_CHARS = 500;
export const SESSION_HEADER = 'x-svc-session';
const SESSION = /^[\x21-\x7e]{1,128}$/;

/** Clients differ in where they give it, if they do. */
export function readConversationName(headers: Headers, body: JsonObject): string | undefined {
  const inHeaders = HEADERS.map((name) => headers.get(name)).find((value) => value);
  const given = readSession(headers) ?? inHeaders ?? nonEmptyString(body.prompt_cache_key) ?? nameInMetadata(body);
  return given?.slice(0, MAX_CHARS);
}

/** Our own header is checked, because an invalid name would count as another session. */
function readSession(headers: Headers): string | undefined {
  const session = headers.get(SESSION_HEADER);
  if (session === null) return undefined;
  if (isSessionName(session)) return session;
  throw fault('invalid_request', {
    param: SESSION_HEADER,
    message: `${SESSION_HEADER} must be 1 to 128 visible ASCII characters without spaces.`,
  });
}

/** Whether the header can carry it. */
export function isSessionName(text: string): boolean {
  return SESSION.test(text);
}

function nameInMetadata({ metadata }: JsonObject): string | undefined {
  return isObject(metadata) ? nonEmptyString(metadata.user_id) : undefined;
}

/** Enough to distinguish conversations without reading long prompts. */
const MAX_ITEMS = 8;
const MAX_TEXTS = 8;
const MAX_TEXT_CHARS = 500;

/**
 * The beginning, which identifies a conversation, because few clients name theirs. Only the upstream account that sealed the
 * reasoning can read it, so all calls of a conversation must rank channels alike. The content before the model's first output is
 * the same in each call. `items`: with a role and content, which is a text or a list of parts. Those before the
 * first that is not given count.
 */
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
