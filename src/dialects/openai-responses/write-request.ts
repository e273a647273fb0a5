// The body for an upstream of the same dialect: the client's own text with only the fields we own changed, and without
// fields that mean nothing there or are private.

import { editMembers, isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, editMember, type RawEdit, remove } from '../../kit/json/raw-edit.ts';
import type { RelayRequest, UpstreamFields } from '../dialect.ts';
import { lowerThinking } from '../lower-thinking.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { editId, readTagged } from '../translate/opaque.ts';
import { resolveOptional } from './sealed-reasoning.ts';
import { missingBound } from './tool-calls.ts';

export function writeRequest(
  { document }: RelayRequest,
  fields: UpstreamFields,
  removed?: readonly string[],
  prefill?: string,
): string {
  const stripped = stripOwn(document, fields.withoutSealed);
  const sent = prefill === undefined ? stripped : editMember(stripped, 'input', append(prefill));
  return editMembers(sent, ownedFields(document, fields, removed));
}

/** Appends the partial answer as an assistant message; upstreams refuse white space at its end. */
function append(prefill: string): RawEdit {
  const begun = JSON.stringify({ role: 'assistant', content: prefill.trimEnd() });
  return ({ text: raw }) => {
    const items = raw.startsWith('[') ? raw.slice(1, -1) : `{"role":"user","content":${raw}}`;
    return items.trim() === '' ? `[${begun}]` : `[${items},${begun}]`;
  };
}

function ownedFields(
  { value }: JsonDocument,
  { model, maxOutputTokens, sealsReasoning = false }: UpstreamFields,
  removed?: readonly string[],
): JsonObject {
  const own = { model, max_output_tokens: maxOutputTokens, store: false, ...resolveOptional(value, sealsReasoning) };
  const edits = withoutFields(own, removed);
  // Codex puts paths of the user's machine into it.
  if (value.client_metadata !== undefined) edits.client_metadata = undefined;
  Object.assign(edits, lowerThinking('reasoning', 'max_tokens', value, maxOutputTokens)?.edits);
  const calls = missingBound(value);
  if (calls !== undefined) edits.max_tool_calls = calls;
  return edits;
}

/** By the client's name. */
export const DROPPED_UNSEALED: readonly string[] = ['encrypted_content'];

/**
 * Removes from a history what the upstream could not read: reasoning that the gateway packed or another account sealed, ids that
 * refer to it, and tags in ids of calls. Everything else keeps its bytes.
 */
export function stripOwn(document: JsonDocument, withoutSealed = false): JsonDocument {
  const { input } = document.value;
  if (!Array.isArray(input) || !(withoutSealed || input.some(needsEdit))) return document;
  return editMember(document, 'input', editInput(input, withoutSealed));
}

function editInput(input: Json[], withoutSealed: boolean): RawEdit | undefined {
  let lacksReasoning = false;
  const editItem = (item: JsonObject): RawEdit | undefined => {
    if (item.type !== 'reasoning')
      return editFields({ call_id: editId(item.call_id), id: editMade(item, lacksReasoning) });
    const edit = withoutSealed && isSealed(item) ? remove : editReasoning(item);
    lacksReasoning ||= edit === remove;
    return edit;
  };
  return editItems(input, editItem);
}

function needsEdit(item: Json): boolean {
  if (!isObject(item)) return false;
  const { type, call_id: callId } = item;
  return type === 'reasoning' || (callId !== undefined && editId(callId) !== undefined);
}

function isSealed({ encrypted_content: encrypted }: JsonObject): boolean {
  return (encrypted ?? '') !== '';
}

/** Upstreams do not store it, so they would not find its id: only its content is sent. Content that we packed is removed. */
function editReasoning({ id, encrypted_content: encrypted, content }: JsonObject): RawEdit | undefined {
  if (typeof encrypted === 'string' && readTagged(encrypted) !== undefined) return remove;
  const isEmpty = (encrypted ?? '') === '' && !(Array.isArray(content) && content.length > 0);
  if (isEmpty) return remove;
  return editFields({ id: id === undefined ? undefined : remove });
}

/** Items that the model made after its reasoning name it by their ids, and would be refused without it. */
function editMade({ type = 'message', role, id }: JsonObject, lacksReasoning: boolean): RawEdit | undefined {
  const isMade = type === 'message' ? role === 'assistant' : String(type).endsWith('_call');
  return lacksReasoning && isMade && id !== undefined ? remove : undefined;
}
