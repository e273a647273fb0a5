// Writes a compaction for the client: an item, as a whole response, as the events of one, or as the answer of
// POST /v1/responses/compact with the messages before it that are kept.

import { assert } from '../../../kit/assert.ts';
import { isObject, type Json, type JsonObject, objectsOf, readAnswerJson } from '../../../kit/json/json.ts';
import { writeEvents } from '../write-events.ts';
import { isCompacted, isCompaction, summaryIn } from './dialect.ts';
import type { Seals } from './sealed-items.ts';

/** The user's last messages of about this length stay as they are. */
const KEPT_CHARS = 256 * 1024;

/** A response with one compaction, or the answer of a vendor that compacts. */
interface Compacted {
  answer: JsonObject;
  item: JsonObject;
  /** All items, where a vendor chose them. */
  output: Json[] | undefined;
}

export function readCompacted(body: string, seals: Seals, channel: string): Compacted {
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
