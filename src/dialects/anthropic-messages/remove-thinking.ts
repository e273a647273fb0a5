// A model with a thinking budget requires its own thoughts before the calls that it continues from. If they are removed
// (strip-own.ts), because another model made the calls or because the vendor refused them, so is the thinking setting, which
// the vendor would refuse without them.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { setTo } from '../../kit/json/raw-edit.ts';
import { NO_REMOVALS, type Removals } from '../removals/removals.ts';
import { isOwnThinking, isThinking } from './strip-own.ts';

const FIELD = 'thinking';
/** The blocks that are removed with sealed reasoning, for `x-svc-dropped`. */
export const THINKING_BLOCKS = 'messages.thinking';

/** `isRemoved`: the blocks that are not sent. */
export function removeThinking(
  { [FIELD]: thinking, messages }: JsonObject,
  isRemoved: (block: Json) => boolean = isOwnThinking,
): Removals {
  if (!isObject(thinking) || thinking.type !== 'enabled' || !Array.isArray(messages)) return NO_REMOVALS;
  if (!turnsOfLoop(messages).some((turn) => losesThoughts(blocksOf(turn), isRemoved))) return NO_REMOVALS;
  return { names: [FIELD], edits: { [FIELD]: setTo({ type: 'disabled' }) } };
}

export function droppedUnsealed(body: JsonObject): readonly string[] {
  return [THINKING_BLOCKS, ...removeThinking(body, isThinking).names];
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
function losesThoughts([first, ...more]: readonly Json[], isRemoved: (block: Json) => boolean): boolean {
  if (first === undefined || !isRemoved(first)) return false;
  const next = more.find((block) => !isRemoved(block));
  return next === undefined || !isThinking(next);
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
