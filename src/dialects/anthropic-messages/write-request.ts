// The body for an upstream of the same dialect: the client's own text with only the fields we own changed.

import { editMembers, isObject, type Json, type JsonDocument } from '../../kit/json/json.ts';
import type { RelayRequest, UpstreamFields } from '../dialect.ts';
import { applyRemovals } from '../removals/removals.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { boundTools } from './bound-tools.ts';
import { hostedFields } from './hosted-fields.ts';
import { isThinking, removeThinking, stripOwn } from './remove-thinking.ts';

export function writeRequest(request: RelayRequest, fields: UpstreamFields, removed?: readonly string[]): string {
  const document = sentDocument(request, fields);
  return editMembers(document, ownedFields(document, fields, removed));
}

/** Appends the partial answer as an assistant turn; the vendor refuses white space at its end. */
export function writePrefill(
  request: RelayRequest,
  fields: UpstreamFields,
  text: string,
  removed?: readonly string[],
): string {
  const document = sentDocument(request, fields);
  const messages = Array.isArray(document.value.messages) ? document.value.messages : [];
  return editMembers(document, {
    ...ownedFields(document, fields, removed),
    messages: [...messages, { role: 'assistant', content: text.trimEnd() }],
  });
}

function sentDocument({ document }: RelayRequest, { withoutSealed }: UpstreamFields): JsonDocument {
  const asked = withoutSealed ? applyRemovals(document, removeThinking(document.value, isThinking)) : document;
  return boundTools(stripOwn(asked, withoutSealed));
}

function ownedFields(
  document: JsonDocument,
  fields: UpstreamFields,
  removed?: readonly string[],
): Record<string, Json | undefined> {
  const own = { model: fields.model, max_tokens: fields.maxOutputTokens, ...hostedFields(fields) };
  const edits = withoutFields(own, removed);
  const { thinking } = document.value;
  if (fields.thinkingBudget !== undefined && isObject(thinking) && thinking.type !== 'disabled') {
    edits.thinking = { ...thinking, budget_tokens: fields.thinkingBudget };
  }
  return edits;
}
