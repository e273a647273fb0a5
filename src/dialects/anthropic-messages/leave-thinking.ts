// A model that thinks by a budget wants its own thoughts before the calls that it goes on from. Where another model made the
// calls, its thoughts stay behind (strip-own.ts), and so does the wish to think, which the vendor would refuse without them.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { setTo } from '../../kit/json/raw-edit.ts';
import { type LeftBehind, NOTHING_LEFT } from '../left-behind/left-behind.ts';
import { isOwnThinking } from './strip-own.ts';

const FIELD = 'thinking';

export function leaveThinking({ [FIELD]: thinking, messages }: JsonObject): LeftBehind {
  if (!isObject(thinking) || thinking.type !== 'enabled' || !Array.isArray(messages)) return NOTHING_LEFT;
  const calling = messages.findLastIndex((turn) => isObject(turn) && turn.role === 'assistant');
  const hasResult = messages.slice(calling + 1).some((turn) => blocksOf(turn).some(isResult));
  if (!hasResult || !losesThoughts(blocksOf(messages[calling]))) return NOTHING_LEFT;
  return { names: [FIELD], edits: { [FIELD]: setTo({ type: 'disabled' }) } };
}

/** It begins with thoughts now, and will not. */
function losesThoughts([first, ...more]: readonly Json[]): boolean {
  if (first === undefined || !isOwnThinking(first)) return false;
  const next = more.find((block) => !isOwnThinking(block));
  return !isObject(next) || (next.type !== 'thinking' && next.type !== 'redacted_thinking');
}

function isResult(block: Json): boolean {
  return isObject(block) && block.type === 'tool_result';
}

function blocksOf(turn: Json | undefined): readonly Json[] {
  return isObject(turn) && Array.isArray(turn.content) ? turn.content : [];
}
