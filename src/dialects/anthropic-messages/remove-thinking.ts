// A model with a thinking budget requires its own thoughts before the calls that it continues from. If they are removed
// (stripOwn), because another model made the calls or because the vendor refused them, so is the thinking setting, which
// the vendor would refuse without them.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, editMember, type RawEdit, remove, setTo } from '../../kit/json/raw-edit.ts';
import { NO_REMOVALS, type Removals } from '../removals/removals.ts';
import { editId, mayHoldTags, readOwnSignature, readTagged } from '../translate/opaque.ts';

type Test = (block: Json) => boolean;

const FIELD = 'thinking';
/** The blocks that are removed with sealed reasoning, for `x-svc-dropped`. */
export const THINKING_BLOCKS = 'messages.thinking';

/** `isRemoved`: the blocks that are not sent. */
export function removeThinking({ [FIELD]: thinking, messages }: JsonObject, isRemoved: Test = isOwnThinking): Removals {
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
    const isOwn = isObject(turn) && turn.role === 'assistant';
    if (isOwn && !isAnswered) break;
    if (isOwn) turns.push(turn);
    // Messages of a user that follow each other are one.
    else isAnswered = (isAnswered && !wasAssistant) || blocksOf(turn).some(isResult);
    wasAssistant = isOwn;
  }
  return turns;
}

/** It begins with thoughts, all of which are removed. */
function losesThoughts([first, ...more]: readonly Json[], isRemoved: Test): boolean {
  if (first === undefined || !isRemoved(first)) return false;
  const next = more.find((block) => !isRemoved(block));
  return next === undefined || !isThinking(next);
}

function isResult(block: Json): boolean {
  return isObject(block) && block.type === 'tool_result';
}

function blocksOf(turn: Json | undefined): readonly Json[] {
  return isObject(turn) && Array.isArray(turn.content) ? turn.content : [];
}

/**
 * Removes what the gateway added to earlier answers and the vendor would refuse: thinking that it signed for another model, and
 * tags in ids of calls. Everything else keeps its bytes: the same document if there is nothing to remove.
 * `withoutSealed`: removes all thinking.
 */
export function stripOwn(document: JsonDocument, withoutSealed = false): JsonDocument {
  if (!withoutSealed && !mayHoldTags(document)) return document;
  const isRemoved = withoutSealed ? isThinking : isOwnThinking;
  const editOf = (turn: JsonObject) => editTurn(turn, isRemoved);
  return editMember(document, 'messages', editItems(document.value.messages, editOf));
}

/** Empty turns are removed. */
function editTurn({ content }: JsonObject, isRemoved: Test): RawEdit | undefined {
  const edit = editItems(content, (block) => editBlock(block, isRemoved));
  return edit && Array.isArray(content) && content.every(isRemoved) ? remove : editFields({ content: edit });
}

function editBlock(block: JsonObject, isRemoved: Test): RawEdit | undefined {
  if (isRemoved(block)) return remove;
  return editFields({
    id: block.type === 'tool_use' ? editId(block.id) : undefined,
    tool_use_id: editId(block.tool_use_id),
  });
}

export function isThinking(block: Json): boolean {
  return isObject(block) && (block.type === 'thinking' || block.type === 'redacted_thinking');
}

function isOwnThinking(block: Json): boolean {
  if (!isObject(block)) return false;
  const { type, signature, data } = block;
  if (type === 'redacted_thinking') return typeof data === 'string' && readTagged(data) !== undefined;
  return type === 'thinking' && typeof signature === 'string' && readOwnSignature(signature) !== undefined;
}
