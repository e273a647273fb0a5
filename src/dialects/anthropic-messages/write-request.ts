// The body for an upstream of the same dialect: the client's own text with only the fields we own changed.

import { editMembers, isObject, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, editMember, type RawEdit, setTo } from '../../kit/json/raw-edit.ts';
import type { RelayRequest, UpstreamFields } from '../dialect.ts';
import { clientUses, DEFAULT_OPEN_USES, DEFAULT_USES } from '../input/tool-use.ts';
import { isSearch, type VendorTool } from '../input/vendor-tools.ts';
import { applyRemovals } from '../removals/removals.ts';
import { withoutFields } from '../removals/remove-fields.ts';
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

/** The tools that take the field. */
const TAKES_BOUND = /^web_(?:search|fetch)_/;

/** For an entry of `tools`: the limit sent to the upstream. Undefined if the tool takes none. */
export function usesOf({ type, max_uses: uses }: VendorTool): number | undefined {
  return TAKES_BOUND.test(type) ? (clientUses(uses) ?? defaultUses(type)) : undefined;
}

/** For a tool that the conversation defines: the gateway writes no limit into it. */
export function usesOfDefined({ type, max_uses: uses }: VendorTool): number | undefined {
  return TAKES_BOUND.test(type) ? clientUses(uses) : undefined;
}

function defaultUses(type: string): number {
  return isSearch(type) ? DEFAULT_USES : DEFAULT_OPEN_USES;
}

/**
 * Limits how often the upstream may use its tools: a search or fetch without a limit gets one, because the hold covers no more. The
 * same document if every tool has its bound.
 */
function boundTools(document: JsonDocument): JsonDocument {
  return editMember(document, 'tools', editItems(document.value.tools, boundOf));
}

function boundOf({ type, max_uses: uses }: JsonObject): RawEdit | undefined {
  if (typeof type !== 'string' || !TAKES_BOUND.test(type) || clientUses(uses) !== undefined) return undefined;
  const most = defaultUses(type);
  return uses === undefined ? addUses(most) : editFields({ max_uses: setTo(most) });
}

/** The tool has at least a type, so another member follows. */
function addUses(most: number): RawEdit {
  return ({ text }) => `{"max_uses":${most},${text.slice(text.indexOf('{') + 1)}`;
}
