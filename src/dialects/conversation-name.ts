// The name that a client gives its conversation, wherever it puts it. The name decides which channel is asked, and is
// neither stored nor logged.

import { isObject, type Json, type JsonObject } from '../kit/json/json.ts';

const HEADERS = ['x-session-id', 'x-session-affinity', 'session-id', 'x-claude-code-session-id'];
const MAX_CHARS = 500;

export function readConversationName(headers: Headers, body: JsonObject): string | undefined {
  const given = nameInHeaders(headers) ?? nameIn(body.prompt_cache_key) ?? nameInMetadata(body);
  return given?.slice(0, MAX_CHARS);
}

function nameInHeaders(headers: Headers): string | undefined {
  for (const name of HEADERS) {
    const value = headers.get(name);
    if (value) return value;
  }
  return undefined;
}

function nameInMetadata({ metadata }: JsonObject): string | undefined {
  return isObject(metadata) ? nameIn(metadata.user_id) : undefined;
}

function nameIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
