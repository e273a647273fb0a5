// The caller's name for its conversation, if it gives one: clients differ in where. It chooses a channel in memory, and it is
// the session of session budgets, for which a keyed hash of it is stored. It is not logged.

import { fault } from '../faults/fault.ts';
import { isObject, type JsonObject } from '../kit/json/json.ts';
import { nonEmptyString } from './fields.ts';

const HEADERS = ['x-session-id', 'x-session-affinity', 'session-id', 'x-claude-code-session-id'];
const MAX_CHARS = 500;
export const SESSION_HEADER = 'x-svc-session';
const SESSION = /^[\x21-\x7e]{1,128}$/;

export function readConversationName(headers: Headers, body: JsonObject): string | undefined {
  const given =
    readSession(headers) ?? nameInHeaders(headers) ?? nonEmptyString(body.prompt_cache_key) ?? nameInMetadata(body);
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

function nameInHeaders(headers: Headers): string | undefined {
  for (const name of HEADERS) {
    const value = headers.get(name);
    if (value) return value;
  }
  return undefined;
}

function nameInMetadata({ metadata }: JsonObject): string | undefined {
  return isObject(metadata) ? nonEmptyString(metadata.user_id) : undefined;
}
