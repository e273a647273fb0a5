// A request whose last item asks for a summary, for the vendors that shorten a conversation themselves. They get it without
// that item at `/responses/compact`, and answer with an item that only their account can read.

import { fault } from '../../../faults/fault.ts';
import { editMembers, type JsonDocument, type JsonObject, objectsOf } from '../../../kit/json/json.ts';
import { editMember } from '../../../kit/json/raw-edit.ts';
import { checkReport, hasCounted } from '../../counts.ts';
import { type AnswerFacts, type Dialect, NO_OUTPUT, type RelayRequest, type UpstreamFields } from '../../dialect.ts';
import { isAsked, joinTwo, NO_REMOVALS, type Removals } from '../../removals/removals.ts';
import { withoutFields } from '../../removals/remove-fields.ts';
import { openaiResponses } from '../dialect.ts';
import { readUsage } from '../usage.ts';
import { stripOwn } from '../write-request.ts';

const OBJECT = 'response.compaction';
const ITEMS: ReadonlySet<unknown> = new Set(['compaction', 'compaction_summary']);
/** The fields that it takes: those of its reference, and those that Codex sends. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['model', 'input', 'instructions', 'tools', 'parallel_tool_calls', 'reasoning', 'text', 'service_tier'],
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
]);

/** The gateway sets these itself, whatever the client sent. */
const SET_HERE: ReadonlySet<string> = new Set(['stream', 'store', 'tool_choice']);

/** The format of these calls, whether a vendor compacts or a model writes a summary. */
export const openaiCompaction: Dialect = {
  ...openaiResponses,
  request: { ...openaiResponses.request, findRemovals, write: writeCompactRequest },
  answer: { ...openaiResponses.answer, read: readAnswer },
};

/** The format in which a model is asked for a summary. An answer without a whole one has failed, and is not charged. */
export const summarizing: Dialect = {
  ...openaiResponses,
  answer: {
    ...openaiResponses.answer,
    read(document, request) {
      const facts = openaiResponses.answer.read(document, request);
      if (!facts || (facts.finish !== 'length' && summaryIn(document.value) !== '')) return facts;
      return { ...facts, gaveUp: true, refusal: facts.finish === 'length' ? cutShort() : undefined };
    },
  },
};

/** The text of a response; empty if the model wrote none, or was stopped before its end. */
export function summaryIn({ status, output }: JsonObject): string {
  if (status === 'incomplete') return '';
  const messages = objectsOf(output).filter(({ type }) => type === 'message');
  const parts = messages.flatMap(({ content }) => objectsOf(content));
  return parts
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('')
    .trim();
}

function cutShort() {
  return fault('upstream_failed', {
    message: 'The summary was cut at the output limit. Send the request again with a higher max_output_tokens.',
    headers: { 'x-should-retry': 'false' },
  });
}

/** Whether the item is a compaction. */
export function isCompaction({ type, encrypted_content: sealed }: JsonObject): boolean {
  return ITEMS.has(type) && typeof sealed === 'string' && sealed !== '';
}

/** Whether a vendor has compacted; otherwise it is a response with a summary. */
export function isCompacted({ value }: Pick<JsonDocument, 'value'>): boolean {
  return value.object === OBJECT;
}

/** The names of what `writeCompactRequest` leaves out. */
function findRemovals(body: JsonObject, isFree: boolean): Removals {
  const names = Object.keys(body).filter((name) => !FIELDS.has(name) && !SET_HERE.has(name) && isAsked(body[name]));
  const removals = openaiResponses.request.findRemovals?.(body, isFree) ?? NO_REMOVALS;
  return names.length === 0 ? removals : joinTwo(removals, { names, edits: {} });
}

function writeCompactRequest(
  { document }: RelayRequest,
  { model, withoutSealed }: UpstreamFields,
  removed: readonly string[] = [],
): string {
  const { input } = document.value;
  const last = Array.isArray(input) ? input.length - 1 : 0;
  const asked = editMember(document, 'input', (raw) => raw.edit(new Map([[last, undefined]])));
  const left = Object.keys(asked.value).filter((name) => !FIELDS.has(name));
  return editMembers(stripOwn(asked, withoutSealed), withoutFields({ model }, [...removed, ...left]));
}

function readAnswer(document: JsonDocument): AnswerFacts | undefined {
  const { value } = document;
  const items = objectsOf(value.output).filter(isCompaction);
  if (!isCompacted(document) || items.length === 0) return undefined;
  const usage = readUsage(value.usage, value.service_tier);
  const tokens = hasCounted(usage) ? 0 : items.reduce((sum, item) => sum + sealedTokens(item), 0);
  const output = { ...NO_OUTPUT, hasContent: true, tokens };
  return { usage: checkReport(usage, output), output, finish: 'other' };
}

/** For a vendor that does not report its usage: four bytes are about one token, and base64 has four letters for three bytes. */
function sealedTokens({ encrypted_content: sealed }: JsonObject): number {
  return Math.ceil((String(sealed).length * 3) / 16);
}
