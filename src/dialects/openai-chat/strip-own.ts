// Removes from a history what earlier translations added and an upstream would refuse: reasoning details that name their
// model, the text beside them, and additions to calls and their ids. Everything else keeps its bytes.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, editMember, type RawEdit, remove } from '../../kit/json/raw-edit.ts';
import { editId, mayHoldTags } from '../translate/opaque.ts';
import { isOwnDetail } from './read-reasoning.ts';

/** The same document if there is nothing of ours in it. `thoughtsField`: in which the upstream requires reasoning text. */
export function stripOwn(document: JsonDocument, thoughtsField?: string): JsonDocument {
  const { messages } = document.value;
  if (!mayHoldTags(document) && !(Array.isArray(messages) && messages.some(hasDetails))) return document;
  return editMember(document, 'messages', editMessages(messages, thoughtsField));
}

function editMessages(messages: Json | undefined, thoughtsField: string | undefined): RawEdit | undefined {
  return editItems(messages, (message) => editMessage(message, thoughtsField));
}

function hasDetails(message: Json): boolean {
  return isObject(message) && message.reasoning_details !== undefined;
}

function editMessage(message: JsonObject, thoughtsField: string | undefined): RawEdit | undefined {
  const { reasoning_details: details } = message;
  const isOurs = Array.isArray(details) && details.some(isOwnDetail);
  const ours = isOurs ? WORDS.filter((name) => name !== thoughtsField) : [];
  return editFields({
    ...Object.fromEntries(ours.map((name) => [name, remove])),
    reasoning_details: editDetails(details),
    tool_calls: editItems(message.tool_calls, editCall),
    tool_call_id: editId(message.tool_call_id),
  });
}

/** The fields in which clients get reasoning. */
const WORDS = ['reasoning', 'reasoning_content'];

function editDetails(details: Json | undefined): RawEdit | undefined {
  const edit = editItems(details, (detail) => (isOwnDetail(detail) ? remove : undefined));
  return edit && Array.isArray(details) && details.every(isOwnDetail) ? remove : edit;
}

/** `extra_content` repeats what a tagged id carries. */
function editCall(call: JsonObject): RawEdit | undefined {
  const id = editId(call.id);
  return editFields({ id, extra_content: id && call.extra_content !== undefined ? remove : undefined });
}
