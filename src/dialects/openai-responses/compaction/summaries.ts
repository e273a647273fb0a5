// A compaction by a summary: how one is asked for, the request that it becomes, and what the client gets. That is an item, as a
// whole response, as the events of one, or as the answer of POST /v1/responses/compact with the messages before it that are kept.

import { assert } from '../../../kit/assert.ts';
import { isObject, type Json, type JsonObject, objectsOf, readAnswerJson } from '../../../kit/json/json.ts';
import { refuseField } from '../../fields.ts';
import { writeEvents } from '../other-form.ts';
import { resolveOptional } from '../sealed-reasoning.ts';
import { isCompacted, isCompaction, summaryIn } from './dialect.ts';
import { isOurs, openItems, type Seals, userMessage } from './sealed-items.ts';

const TRIGGER = 'compaction_trigger';

const PROMPT = `Summarize this conversation for an assistant that will continue it and has not seen it. Include:
- what the user asked for, with every requirement, limit and preference that they stated;
- what was done, found out and decided, with exact names, paths, commands and values;
- what is not finished, and the next steps.
Reply with the summary only. Do not call tools and do not continue the work.`;

/** `input` if it asks for a compaction, or has one that only this service can open. */
export function inputWithCompaction({ input }: JsonObject): Json[] | undefined {
  return Array.isArray(input) && input.some((item) => isTrigger(item) || isOurs(item)) ? input : undefined;
}

/** Undefined if the body asks for no compaction. */
export function itemsToCompact(input: Json[]): Json[] | undefined {
  const at = input.findIndex(isTrigger);
  if (at < 0) return undefined;
  if (at < input.length - 1) refuseField(`input[${at}]`, 'compaction_trigger must be the last item.');
  return input.slice(0, -1);
}

/** The conversation in a body whose only purpose is its compaction. */
export function conversationIn({ input }: JsonObject): Json[] {
  if (Array.isArray(input) && input.length > 0) return input;
  if (typeof input === 'string' && input !== '') return [{ type: 'message', role: 'user', content: input }];
  return refuseField('input', 'input must be a text or a list of items, and not empty.');
}

/** `edits`: members of the body in place of the client's. */
export function askingForSummary(seals: Seals, body: JsonObject, input: readonly Json[]) {
  const { tools, text } = body;
  const { items, vendorItems } = openItems(seals, input);
  const edits: JsonObject = {
    input: [...items, userMessage(PROMPT)],
    stream: false,
    store: false,
    // With the same tools as before, the prompt is the same up to here, and may be cached.
    tool_choice: Array.isArray(tools) && tools.length > 0 ? 'none' : undefined,
    ...resolveOptional(body, false),
    ...(isObject(text) ? { text: { ...text, format: undefined } } : {}),
  };
  return { edits, vendorItems };
}

function isTrigger(item: Json | undefined): boolean {
  return isObject(item) && item.type === TRIGGER;
}

/** The user's last messages of about this length stay as they are. */
const KEPT_CHARS = 256 * 1024;

type Compacted = ReturnType<typeof readCompacted>;

/** A response with one compaction, or the answer of a vendor that compacts. `output`: all items, where a vendor chose them. */
export function readCompacted(body: string, seals: Seals, channel: string) {
  const document = readAnswerJson(body);
  const answer = document.value;
  if (!isCompacted(document)) {
    const summary = summaryIn(answer);
    assert(summary !== '', 'the dialect has seen a summary');
    return { answer, item: seals.sealSummary(summary), output: undefined };
  }
  const output = objectsOf(answer.output).map((item) => (isCompaction(item) ? seals.sealVendors(item, channel) : item));
  const item = output.find(isCompaction);
  assert(item, 'the dialect has seen a compaction');
  return { answer, item, output };
}

/** A response with the compaction as its only item. */
export function compactedResponse({ answer, item }: Compacted): JsonObject {
  return { ...answer, object: 'response', status: 'completed', error: null, incomplete_details: null, output: [item] };
}

export function writeCompactedEvents(response: JsonObject): string {
  const [item] = objectsOf(response.output);
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  return writeEvents([
    { type: 'response.created', response: begun },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]);
}

export function writeCompaction({ answer, item, output }: Compacted, items: readonly Json[]): string {
  if (output) return JSON.stringify({ ...answer, output });
  const { id, created_at, usage } = answer;
  const object = 'response.compaction';
  return JSON.stringify({ id, object, created_at, output: [...keptMessages(items), item], usage });
}

/** The user's last messages, as far as there is room. */
export function keptMessages(items: readonly Json[]): Json[] {
  let left = KEPT_CHARS;
  const kept: Json[] = [];
  for (const item of items.toReversed()) {
    if (!isObject(item) || item.role !== 'user') continue;
    left -= JSON.stringify(item).length;
    if (left < 0) break;
    kept.unshift({ type: 'message', ...item });
  }
  return kept;
}
