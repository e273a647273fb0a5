// What a caller calls its conversation, if it says so: clients differ in where. It chooses a channel in
// memory, and is neither stored nor logged.

import { isObject, type JsonObject } from '../kit/json/json.ts';

const HEADERS = ['x-session-id', 'x-session-affinity', 'session-id', 'x-claude-code-session-id'];
const MAX_CHARS = 500;

export function readConversationName(headers: Headers, body: JsonObject): string | undefined {
  const fromHeaders = HEADERS.map((name) => headers.get(name)).find((value) => value);
  const metadata = isObject(body.metadata) ? body.metadata.user_id : undefined;
  const given = [fromHeaders, body.prompt_cache_key, metadata].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return typeof given === 'string' ? given.slice(0, MAX_CHARS) : undefined;
}
