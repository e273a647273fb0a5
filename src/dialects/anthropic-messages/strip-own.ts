// What earlier translations left in a history must not reach a vendor that checks it: thinking that we signed in place of
// another model, and what we appended to ids of calls. Everything else keeps its bytes.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, editMember, type RawEdit, remove } from '../../kit/json/raw-edit.ts';
import { readOwnSignature, readTagged } from '../translate/opaque.ts';
import { editId, mayHoldTags } from '../translate/strip-tags.ts';

/** The same document if there is nothing of ours in it. */
export function stripOwn(document: JsonDocument): JsonDocument {
  return mayHoldTags(document)
    ? editMember(document, 'messages', editItems(document.value.messages, editTurn))
    : document;
}

/** A turn of which nothing is left is none. */
function editTurn({ content }: JsonObject): RawEdit | undefined {
  const edit = editItems(content, editBlock);
  return edit && Array.isArray(content) && content.every(isOwnThinking) ? remove : editFields({ content: edit });
}

function editBlock(block: JsonObject): RawEdit | undefined {
  if (isOwnThinking(block)) return remove;
  return editFields({
    id: block.type === 'tool_use' ? editId(block.id) : undefined,
    tool_use_id: editId(block.tool_use_id),
  });
}

export function isOwnThinking(block: Json): boolean {
  if (!isObject(block)) return false;
  const { type, signature, data } = block;
  if (type === 'redacted_thinking') return typeof data === 'string' && readTagged(data) !== undefined;
  return type === 'thinking' && typeof signature === 'string' && readOwnSignature(signature) !== undefined;
}
