// A model with a thinking budget requires its own thoughts before the calls that it continues from. If another model made the
// calls, its thoughts are removed (strip-own.ts), and so is the thinking setting, which the vendor would refuse without them.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { setTo } from '../../kit/json/raw-edit.ts';
import { NO_REMOVALS, type Removals } from '../removals/removals.ts';
import { isOwnThinking } from './strip-own.ts';

const FIELD = 'thinking';

export function removeThinking({ [FIELD]: thinking, messages }: JsonObject): Removals {
  if (!isObject(thinking) || thinking.type !== 'enabled' || !Array.isArray(messages)) return NO_REMOVALS;
  if (!turnsOfLoop(messages).some((turn) => losesThoughts(blocksOf(turn)))) return NO_REMOVALS;
  return { names: [FIELD], edits: { [FIELD]: setTo({ type: 'disabled' }) } };
}

/** The assistant messages since the last user text, if tool results answered all of them: the vendor counts them as one turn.
 * The model thinks at the start of it, so a thought that was removed there is missing at every later step. */
function turnsOfLoop(messages: readonly Json[]): readonly Json[] {
  const turns: Json[] = [];
  let isAnswered = false;
  let wasAssistant = false;
  for (const turn of messages.toReversed()) {
    const isOwn = isAssistant(turn);
    if (isOwn && !isAnswered) break;
    if (isOwn) turns.push(turn);
    // Messages of a user that follow each other are one.
    else isAnswered = (isAnswered && !wasAssistant) || blocksOf(turn).some(isResult);
    wasAssistant = isOwn;
  }
  return turns;
}

/** It begins with thoughts, all of which are removed. */
function losesThoughts([first, ...more]: readonly Json[]): boolean {
  if (first === undefined || !isOwnThinking(first)) return false;
  const next = more.find((block) => !isOwnThinking(block));
  return !isObject(next) || (next.type !== 'thinking' && next.type !== 'redacted_thinking');
}

function isAssistant(turn: Json): boolean {
  return isObject(turn) && turn.role === 'assistant';
}

function isResult(block: Json): boolean {
  return isObject(block) && block.type === 'tool_result';
}

function blocksOf(turn: Json | undefined): readonly Json[] {
  return isObject(turn) && Array.isArray(turn.content) ? turn.content : [];
}
