// The body for an upstream of the same dialect: the client's own text with only the fields we own changed, and without
// what would mean nothing there or is nobody's business.

import { editMembers, isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { editBody, type JsonBody } from '../../kit/json/request-json.ts';
import type { RelayRequest, UpstreamFields } from '../dialect.ts';
import { withoutPriced } from '../left-behind/priced-fields.ts';
import { TAG_MARK, untagToolId } from '../translate/opaque.ts';
import { editList, rawMember, reread, withRawMember } from './raw-edits.ts';

export function writeRequest({ document }: RelayRequest, fields: UpstreamFields): JsonBody {
  return editBody(writeItems(document, fields), ownedFields(document, fields));
}

/** The partial answer stands last, as the assistant's own message; upstreams refuse one that ends in white space. */
export function writePrefill({ document }: RelayRequest, fields: UpstreamFields, text: string): string {
  const begun = JSON.stringify({ role: 'assistant', content: text.trimEnd() });
  const edited = writeItems(document, fields);
  const raw = rawMember(edited, 'input') ?? '""';
  const items = raw.startsWith('[') ? raw.slice(1, -1) : `{"role":"user","content":${raw}}`;
  return editMembers(withRawMember(edited, 'input', `[${items},${begun}]`), ownedFields(document, fields));
}

function ownedFields({ value }: JsonDocument, fields: UpstreamFields): Record<string, Json | undefined> {
  return {
    model: fields.model,
    max_output_tokens: fields.maxOutputTokens,
    store: false,
    ...withoutPriced(value),
    // Codex tells paths of the user's machine in it.
    ...(value.client_metadata === undefined ? {} : { client_metadata: undefined }),
  };
}

/** The same document if no item needs an edit: then none is read once more. */
function writeItems(document: JsonDocument, { withoutSealed = false }: UpstreamFields): JsonDocument {
  const { input } = document.value;
  if (!Array.isArray(input) || !(withoutSealed || input.some(needsEdit))) return document;
  let lacksReasoning = false;
  return editList(document, 'input', (item) => {
    const written = withoutSealed && isSealed(item.value) ? undefined : writeItem(item);
    if (written === undefined) lacksReasoning = true;
    return written !== undefined && lacksReasoning ? withoutOwnId(item, written) : written;
  });
}

function isSealed({ type, encrypted_content: encrypted }: JsonObject): boolean {
  return type === 'reasoning' && (encrypted ?? '') !== '';
}

/** Items that the model made after its reasoning name it by their ids, and would be refused without it. */
function withoutOwnId({ value }: JsonDocument, written: string): string {
  const { type = 'message', role, id } = value;
  const isMade = type === 'message' ? role === 'assistant' : String(type).endsWith('_call');
  return isMade && id !== undefined ? editMembers(reread(written), { id: undefined }) : written;
}

function needsEdit(item: Json): boolean {
  if (!isObject(item)) return false;
  const { type, call_id: callId } = item;
  return type === 'reasoning' || (typeof callId === 'string' && untagToolId(callId).id !== callId);
}

function writeItem(item: JsonDocument): string | undefined {
  const { type, call_id: callId } = item.value;
  if (type === 'reasoning') return writeReasoning(item);
  const own = typeof callId === 'string' ? untagToolId(callId).id : callId;
  return own === callId ? item.text : editMembers(item, { call_id: own });
}

/** Nothing is stored, so an id would not be found: reasoning is what it holds. What we packed, only we can read. */
function writeReasoning(item: JsonDocument): string | undefined {
  const { id, encrypted_content: encrypted, content } = item.value;
  if (typeof encrypted === 'string' && encrypted.startsWith(TAG_MARK)) return undefined;
  const isEmpty = (encrypted ?? '') === '' && !(Array.isArray(content) && content.length > 0);
  if (isEmpty) return undefined;
  return id === undefined ? item.text : editMembers(item, { id: undefined });
}
