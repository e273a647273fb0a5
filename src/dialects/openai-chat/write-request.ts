// The body for an upstream of the same dialect: the client's own text with only the fields we own changed.

import { editMembers, isObject, type Json } from '../../kit/json.ts';
import type { ChatRequest } from './read-request.ts';

export interface UpstreamFields {
  model: string;
  maxOutputTokens: number;
  /** Lowered so that it stays below the output bound; undefined: as the client said. */
  thinkingBudget: number | undefined;
  /** The name this upstream gives to the output bound, when the client named none. */
  limitField: 'max_tokens' | 'max_completion_tokens';
}

export function writeRequest({ document, stream }: ChatRequest, fields: UpstreamFields): string {
  const { value } = document;
  const edits: Record<string, Json | undefined> = { model: fields.model };
  const named = (['max_completion_tokens', 'max_tokens'] as const).filter((name) => typeof value[name] === 'number');
  for (const name of named.length > 0 ? named : [fields.limitField]) edits[name] = fields.maxOutputTokens;
  if (fields.thinkingBudget !== undefined && isObject(value.thinking)) {
    edits.thinking = { ...value.thinking, budget_tokens: fields.thinkingBudget };
  }
  if (stream) {
    const options = isObject(value.stream_options) ? value.stream_options : {};
    edits.stream_options = { ...options, include_usage: true };
  }
  return editMembers(document, edits);
}
