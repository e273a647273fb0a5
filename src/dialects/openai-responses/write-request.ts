// The body for an upstream of the same dialect: the client's own text with only the fields we own changed, and without
// fields that mean nothing there or are private.

import { editMembers, type Json, type JsonDocument } from '../../kit/json/json.ts';
import { editMember } from '../../kit/json/raw-edit.ts';
import type { RelayRequest, UpstreamFields } from '../dialect.ts';
import { lowerThinking } from '../lower-thinking.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { fulfilWish } from './sealed-reasoning.ts';
import { stripOwn } from './strip-own.ts';
import { missingBound } from './tool-calls.ts';

export function writeRequest({ document }: RelayRequest, fields: UpstreamFields, removed?: readonly string[]): string {
  return editMembers(stripOwn(document, fields.withoutSealed), ownedFields(document, fields, removed));
}

/** Appends the partial answer as an assistant message; upstreams refuse white space at its end. */
export function writePrefill(
  { document }: RelayRequest,
  fields: UpstreamFields,
  text: string,
  removed?: readonly string[],
): string {
  const begun = JSON.stringify({ role: 'assistant', content: text.trimEnd() });
  const edited = editMember(stripOwn(document, fields.withoutSealed), 'input', ({ text: raw }) => {
    const items = raw.startsWith('[') ? raw.slice(1, -1) : `{"role":"user","content":${raw}}`;
    return items.trim() === '' ? `[${begun}]` : `[${items},${begun}]`;
  });
  return editMembers(edited, ownedFields(document, fields, removed));
}

function ownedFields(
  { value }: JsonDocument,
  { model, maxOutputTokens, sealsReasoning = false }: UpstreamFields,
  removed?: readonly string[],
): Record<string, Json | undefined> {
  const own = { model, max_output_tokens: maxOutputTokens, store: false, ...fulfilWish(value, sealsReasoning) };
  const edits = withoutFields(own, removed);
  // Codex puts paths of the user's machine into it.
  if (value.client_metadata !== undefined) edits.client_metadata = undefined;
  Object.assign(edits, lowerThinking('reasoning', 'max_tokens', value, maxOutputTokens)?.edits);
  const calls = missingBound(value);
  if (calls !== undefined) edits.max_tool_calls = calls;
  return edits;
}
