// A model with a thinking budget requires its own thoughts before the calls that it continues from. If another model made the
// calls, its thoughts are removed (strip-own.ts), and so is the thinking setting, which the vendor would refuse without them.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { setTo } from '../../kit/json/raw-edit.ts';
import { type LeftBehind, NOTHING_LEFT } from '../left-behind/left-behind.ts';
import { isOwnThinking } from './strip-own.ts';

const FIELD = 'thinking';

export function leaveThinking({ [FIELD]: thinking, messages }: JsonObject): LeftBehind {
  if (!isObject(thinking) || thinking.type !== 'enabled' || !Array.isArray(messages)) return NOTHING_LEFT;
  if (!turnsOfLoop(messages).some((turn) => losesThoughts(blocksOf(turn)))) return NOTHING_LEFT;
  return { names: [FIELD], edits: { [FIELD]: setTo({ type: 'disabled' }) } };
}

/** What a model has said since a user last spoke, if all of it was answered by results: one turn, to the vendor. The model
 * thinks at its beginning, and need not later, so what is lost there is missed at every step. */
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

/** It begins with thoughts now, and will not. */
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
