// Identifies the call of a quote: a keyed hash of account, endpoint and body. Without the key, a prompt cannot be guessed from
// it. Two bodies are the same if they are equal as JSON, with their fields in the same order; white space and escapes do not
// matter.

import type { JsonObject } from '../../kit/json/json.ts';

export interface QuotedRequest {
  accountId: string;
  endpoint: string;
  body: JsonObject;
}

export type HashRequest = (request: QuotedRequest) => Promise<string>;

/** Yields to other requests after this many characters. */
const STEP_CHARS = 512 * 1024;

export function createHashRequest(begin: () => Bun.CryptoHasher, pause: () => Promise<void>): HashRequest {
  return async ({ accountId, endpoint, body }) => {
    const hasher = begin().update(`request\n${accountId}\n${endpoint}\n`);
    let chars = 0;
    for (const part of partsOf(body)) {
      hasher.update(part);
      chars += part.length;
      if (chars < STEP_CHARS) continue;
      chars = 0;
      await pause();
    }
    return hasher.digest('hex');
  };
}

/** Member by member, and lists item by item: messages can be many, and the whole text can be long. */
function* partsOf(body: JsonObject): Generator<string> {
  for (const [name, value] of Object.entries(body)) {
    yield `${JSON.stringify(name)}:`;
    if (!Array.isArray(value)) {
      yield `${JSON.stringify(value)},`;
      continue;
    }
    yield '[';
    for (const item of value) yield `${JSON.stringify(item)},`;
    yield '],';
  }
}
