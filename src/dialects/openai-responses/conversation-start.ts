// The beginning of a Responses conversation with encrypted reasoning, so that it stays on one channel.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { writeStart } from '../conversation-start.ts';
import { asksForSealed } from './sealed-reasoning.ts';

const GIVEN_ROLES: ReadonlySet<Json | undefined> = new Set(['user', 'system', 'developer']);

/** Undefined where no reasoning is sealed: such a conversation may go anywhere. */
export function conversationStart(body: JsonObject): string | undefined {
  const { input } = body;
  if (!asksForSealed(body) && !(Array.isArray(input) && input.some(isSealed))) return undefined;
  if (typeof input === 'string') return writeStart([{ role: 'user', content: input }], isGiven);
  return Array.isArray(input) ? writeStart(input, isGiven) : undefined;
}

/** Checks only the name, because reading the value would decode a long text. */
function isSealed(item: Json): boolean {
  return isObject(item) && Object.hasOwn(item, 'encrypted_content');
}

/** Not the model's own. */
function isGiven({ type, role }: JsonObject): boolean {
  return (type ?? 'message') === 'message' && GIVEN_ROLES.has(role);
}
