// The body for an upstream of the same dialect: the client's own text with only the fields we own changed.

import { editMembers, isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, editMember, type RawEdit, remove } from '../../kit/json/raw-edit.ts';
import type { LimitField } from '../../vendors/quirks.ts';
import type { RelayRequest, UpstreamFields } from '../dialect.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { editId, mayHoldTags } from '../translate/opaque.ts';
import { isOwnDetail } from './read-reasoning.ts';
import { usageOption } from './read-request.ts';
import { shareBound } from './share-bound.ts';

/** The partial answer becomes an assistant message; upstreams refuse white space at its end. */
export function writeRequest(
  request: RelayRequest,
  fields: UpstreamFields,
  removed?: readonly string[],
  prefill?: string,
): string {
  const document = stripOwn(request.document, fields.thoughtsField);
  const edits = ownedFields(request, fields, removed);
  if (prefill !== undefined) {
    const messages = Array.isArray(document.value.messages) ? document.value.messages : [];
    edits.messages = [...messages, { role: 'assistant', content: prefill.trimEnd() }];
  }
  return editMembers(document, edits);
}

/** Only one of them is sent, whichever the client used, because upstreams ignore or refuse the other. */
const LIMIT_FIELDS: readonly LimitField[] = ['max_tokens', 'max_completion_tokens'];

function ownedFields({ document, stream }: RelayRequest, fields: UpstreamFields, removed?: readonly string[]) {
  const { value } = document;
  const edits = withoutFields({ model: fields.model }, removed);
  for (const name of LIMIT_FIELDS) if (value[name] !== undefined) edits[name] = undefined;
  const { answer, edits: shared } = shareBound(value, fields.maxOutputTokens, fields.thinksBeside);
  edits[fields.limitField] = answer;
  Object.assign(edits, shared);
  if (fields.thinkingBudget !== undefined && isObject(value.thinking)) {
    edits.thinking = { ...value.thinking, budget_tokens: fields.thinkingBudget };
  }
  if (!fields.takesUsageOption && usageOption(value) !== undefined) edits.usage = undefined;
  if (stream) {
    const options = isObject(value.stream_options) ? value.stream_options : {};
    edits.stream_options = { ...options, include_usage: true };
  }
  return edits;
}

/**
 * Removes from a history what earlier translations added and an upstream would refuse: reasoning details that name their model,
 * the text beside them, and additions to calls and their ids. Everything else keeps its bytes. `thoughtsField`: in which the
 * upstream requires reasoning text.
 */
export function stripOwn(document: JsonDocument, thoughtsField?: string): JsonDocument {
  const { messages } = document.value;
  if (!mayHoldTags(document) && !(Array.isArray(messages) && messages.some(hasDetails))) return document;
  const edit = editItems(messages, (message) => editMessage(message, thoughtsField));
  return editMember(document, 'messages', edit);
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
