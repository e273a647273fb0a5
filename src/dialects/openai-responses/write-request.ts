// The body for an upstream of the same dialect: the client's own text with only the fields we own changed, and without
// what would mean nothing there or is nobody's business.

import { editMembers, type Json, type JsonDocument } from '../../kit/json/json.ts';
import { editMember } from '../../kit/json/raw-edit.ts';
import { editBody, type JsonBody } from '../../kit/json/request-json.ts';
import type { RelayRequest, UpstreamFields } from '../dialect.ts';
import { withoutPriced } from '../left-behind/priced-fields.ts';
import { stripOwn } from './strip-own.ts';
import { missingBound } from './tool-calls.ts';

export function writeRequest({ document }: RelayRequest, fields: UpstreamFields): JsonBody {
  return editBody(stripOwn(document, fields.withoutSealed), ownedFields(document, fields));
}

/** The partial answer stands last, as the assistant's own message; upstreams refuse one that ends in white space. */
export function writePrefill({ document }: RelayRequest, fields: UpstreamFields, text: string): string {
  const begun = JSON.stringify({ role: 'assistant', content: text.trimEnd() });
  const edited = editMember(stripOwn(document, fields.withoutSealed), 'input', ({ text: raw }) => {
    const items = raw.startsWith('[') ? raw.slice(1, -1) : `{"role":"user","content":${raw}}`;
    return items.trim() === '' ? `[${begun}]` : `[${items},${begun}]`;
  });
  return editMembers(edited, ownedFields(document, fields));
}

function ownedFields({ value }: JsonDocument, fields: UpstreamFields): Record<string, Json | undefined> {
  const edits = withoutPriced(value, { model: fields.model, max_output_tokens: fields.maxOutputTokens, store: false });
  // Codex tells paths of the user's machine in it.
  if (value.client_metadata !== undefined) edits.client_metadata = undefined;
  const calls = missingBound(value);
  if (calls !== undefined) edits.max_tool_calls = calls;
  return edits;
}
