// Whole event streams that the gateway writes itself.

import type { JsonObject } from '../../kit/json/json.ts';
import { writeSse } from '../stream/sse.ts';

/** Numbered from 0. */
export function writeEvents(events: readonly (JsonObject & { type: string })[]): string {
  return events
    .map(({ type, ...event }, number) => writeSse(JSON.stringify({ type, sequence_number: number, ...event }), type))
    .join('');
}

/** A fault as a stream that begins and fails. */
export function writeFailedStream(error: { code: string; message: string }, requestId: string): string {
  const response = { id: `resp_${requestId}`, object: 'response', output: [], usage: null };
  return writeEvents([
    { type: 'response.created', response: { ...response, status: 'in_progress', error: null } },
    { type: 'response.failed', response: { ...response, status: 'failed', error } },
  ]);
}
