// The body for an upstream of the same dialect: the client's own text with only the fields we own changed.

import { editMembers, isObject, type Json } from '../../kit/json/json.ts';
import type { LimitField } from '../../vendors/quirks.ts';
import type { RelayRequest, UpstreamFields } from '../dialect.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { usageWish } from './read-request.ts';
import { shareBound } from './share-bound.ts';
import { stripOwn } from './strip-own.ts';

/** Appends the partial answer as an assistant message; upstreams refuse white space at its end. */
export function writePrefill(
  request: RelayRequest,
  fields: UpstreamFields,
  text: string,
  removed?: readonly string[],
): string {
  const document = stripOwn(request.document, fields.thoughtsField);
  const messages = Array.isArray(document.value.messages) ? document.value.messages : [];
  return editMembers(document, {
    ...ownedFields(request, fields, removed),
    messages: [...messages, { role: 'assistant', content: text.trimEnd() }],
  });
}

export function writeRequest(request: RelayRequest, fields: UpstreamFields, removed?: readonly string[]): string {
  return editMembers(stripOwn(request.document, fields.thoughtsField), ownedFields(request, fields, removed));
}

/** Only one of them is sent, whichever the client used, because upstreams ignore or refuse the other. */
const LIMIT_FIELDS: readonly LimitField[] = ['max_tokens', 'max_completion_tokens'];

function ownedFields(
  { document, stream }: RelayRequest,
  fields: UpstreamFields,
  removed?: readonly string[],
): Record<string, Json | undefined> {
  const { value } = document;
  const edits = withoutFields({ model: fields.model }, removed);
  for (const name of LIMIT_FIELDS) if (value[name] !== undefined) edits[name] = undefined;
  const { answer, edits: shared } = shareBound(value, fields.maxOutputTokens, fields.thinksBeside);
  edits[fields.limitField] = answer;
  Object.assign(edits, shared);
  if (fields.thinkingBudget !== undefined && isObject(value.thinking)) {
    edits.thinking = { ...value.thinking, budget_tokens: fields.thinkingBudget };
  }
  if (!fields.takesUsageWish && usageWish(value) !== undefined) edits.usage = undefined;
  if (stream) {
    const options = isObject(value.stream_options) ? value.stream_options : {};
    edits.stream_options = { ...options, include_usage: true };
  }
  return edits;
}
