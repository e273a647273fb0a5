// Whole event streams that the gateway writes itself.

import type { JsonObject } from '../../kit/json/json.ts';
import { writeSse } from '../stream/sse.ts';

/** Numbered from 0. */
export function writeEvents(events: readonly (JsonObject & { type: string })[]): string {
  return events
    .map(({ type, ...event }, number) => writeSse(JSON.stringify({ type, sequence_number: number, ...event }), type))
    .join('');
}
