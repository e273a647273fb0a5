// The beginning of a conversation with signed thoughts, so that it stays on one channel: the newest models accept signatures
// only from the account that made them.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { writeStart } from '../conversation-start.ts';
import { isThinking } from './strip-own.ts';

/** Undefined if no thinking is requested and none is in the history: such a conversation may go anywhere. */
export function conversationStart({ system, messages, thinking }: JsonObject): string | undefined {
  if (!Array.isArray(messages)) return undefined;
  const isAsked = isObject(thinking) && thinking.type !== 'disabled';
  if (!isAsked && !messages.some(hasThoughts)) return undefined;
  return writeStart([{ role: 'system', content: system ?? '' }, ...messages], isGiven);
}

function isGiven({ role }: JsonObject): boolean {
  return role !== 'assistant';
}

function hasThoughts(message: Json): boolean {
  return isObject(message) && Array.isArray(message.content) && message.content.some(isThinking);
}
