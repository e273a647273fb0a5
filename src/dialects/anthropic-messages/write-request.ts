// The body for an upstream of the same dialect: the client's own text with only the fields we own changed.

import { editMembers, isObject } from '../../kit/json/json.ts';
import type { RelayRequest, UpstreamFields } from '../dialect.ts';
import { applyRemovals } from '../removals/removals.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { boundTools } from './bound-tools.ts';
import { hostedFields } from './hosted-fields.ts';
import { isThinking, removeThinking, stripOwn } from './remove-thinking.ts';

/** The partial answer becomes an assistant turn; the vendor refuses white space at its end. */
export function writeRequest(
  { document }: RelayRequest,
  fields: UpstreamFields,
  removed?: readonly string[],
  prefill?: string,
): string {
  const { withoutSealed, thinkingBudget } = fields;
  const asked = withoutSealed ? applyRemovals(document, removeThinking(document.value, isThinking)) : document;
  const sent = boundTools(stripOwn(asked, withoutSealed));
  const { thinking, messages } = sent.value;
  const own = { model: fields.model, max_tokens: fields.maxOutputTokens, ...hostedFields(fields) };
  const edits = withoutFields(own, removed);
  if (thinkingBudget !== undefined && isObject(thinking) && thinking.type !== 'disabled') {
    edits.thinking = { ...thinking, budget_tokens: thinkingBudget };
  }
  if (prefill !== undefined) {
    const turn = { role: 'assistant', content: prefill.trimEnd() };
    edits.messages = [...(Array.isArray(messages) ? messages : []), turn];
  }
  return editMembers(sent, edits);
}
