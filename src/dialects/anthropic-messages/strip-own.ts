// Removes from a history what the gateway added to earlier answers and the vendor would refuse: thinking that the gateway
// signed for another model, and tags in ids of calls. Everything else keeps its bytes.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, editMember, type RawEdit, remove } from '../../kit/json/raw-edit.ts';
import { readOwnSignature, readTagged } from '../translate/opaque.ts';
import { editId, mayHoldTags } from '../translate/strip-tags.ts';

type Test = (block: Json) => boolean;

/** Returns the same document if there is nothing to remove. `withoutSealed`: removes all thinking. */
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

export function isOwnThinking(block: Json): boolean {
  if (!isObject(block)) return false;
  const { type, signature, data } = block;
  if (type === 'redacted_thinking') return typeof data === 'string' && readTagged(data) !== undefined;
  return type === 'thinking' && typeof signature === 'string' && readOwnSignature(signature) !== undefined;
}
