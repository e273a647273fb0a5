// What a client gets for a summary: a compaction item, as a whole response, as the events of one, or as the answer of
// POST /v1/responses/compact with the user's own messages before it.

import { writeSse } from '../../dialects/stream/sse.ts';
import { fault } from '../../faults/fault.ts';
import { isObject, type Json, type JsonObject, objectsOf, readAnswerJson } from '../../kit/json/json.ts';

/** The user's last messages of about this length stay as they are. */
const KEPT_CHARS = 256 * 1024;

/** Makes an item of the summary. */
export type Seal = (summary: string) => JsonObject;

/** The same response with the summary as its only item. Throws if the model wrote none. */
export function compactedResponse(body: string, seal: Seal): JsonObject {
  const whole = readAnswerJson(body).value;
  const summary = textIn(whole.output).trim();
  if (summary === '') {
    throw fault('upstream_failed', {
      message: 'The model wrote no summary. Send the request again, or choose another model.',
    });
  }
  return { ...whole, status: 'completed', incomplete_details: null, output: [seal(summary)] };
}

export function writeEvents(response: JsonObject): string {
  const [item] = objectsOf(response.output);
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ];
  return events
    .map(({ type, ...event }, number) => writeSse(JSON.stringify({ type, sequence_number: number, ...event }), type))
    .join('');
}

export function writeCompaction({ id, created_at, output, usage }: JsonObject, items: readonly Json[]): string {
  return JSON.stringify({
    id,
    object: 'response.compaction',
    created_at,
    output: [...keptMessages(items), ...objectsOf(output)],
    usage,
  });
}

/** The user's last messages, as far as there is room. */
function keptMessages(items: readonly Json[]): Json[] {
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

function textIn(output: Json | undefined): string {
  const parts = objectsOf(output).flatMap(({ content }) => objectsOf(content));
  return parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('');
}
