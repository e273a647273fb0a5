// A page of an account's events, the oldest first.

import { z } from 'zod';
import { fault } from '../../faults/fault.ts';
import { EVENT_TYPES, type EventType } from '../../store/event-rows.ts';
import type { Store } from '../../store/store.ts';
import { pageLimit } from '../read-shape.ts';
import { type EventIds, publicEvent } from './public-event.ts';

const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);
const TYPE = `type must be one or more of ${EVENT_TYPES.join(', ')}, separated by commas.`;

export const eventFilters = z.object({
  after: z.string().optional().describe('The id of an event: only later ones are given.'),
  type: z
    .string()
    .transform((names) => names.split(','))
    .refine((names): names is EventType[] => names.every((name) => TYPES.has(name)), TYPE)
    .optional()
    .describe(`Only these types, separated by commas: ${EVENT_TYPES.join(', ')}.`),
  limit: pageLimit('Events'),
});

export async function listEvents(
  { store, eventIds }: { store: Pick<Store, 'read'>; eventIds: EventIds },
  accountId: string,
  { after, type: types, limit }: z.output<typeof eventFilters>,
) {
  const cursor = readCursor(eventIds, after);
  const found = await store.read.eventsOf({ accountId, after: cursor, types, limit: limit + 1 });
  const data = found.slice(0, limit).map((event) => publicEvent(eventIds, event));
  return {
    object: 'list' as const,
    data,
    has_more: found.length > limit,
    next_cursor: data.at(-1)?.id ?? after ?? null,
  };
}

/** The number of the event; 0 before all events. Throws invalid_request. */
export function readCursor(ids: EventIds, after: string | undefined, param = 'after'): number {
  if (after === undefined) return 0;
  const cursor = ids.read(after);
  if (cursor !== undefined) return cursor;
  throw fault('invalid_request', {
    param,
    message: `${param} is not the id of an event (evt_…). Use an id that this list gave.`,
  });
}
