// An event as the API and webhooks show it, its public id, and a page of the events of an account, the oldest first.

import { createCipheriv, createDecipheriv } from 'node:crypto';
import { z } from 'zod';
import { fault } from '../../faults/fault.ts';
import { deriveSecret } from '../../kit/sealed.ts';
import { amount, idOf, text, time } from '../../kit/shapes.ts';
import { EVENT_TYPES, type EventData, type EventType, type StoredEvent } from '../../store/event-rows.ts';
import type { Store } from '../../store/store.ts';
import { COUNTED_BUDGETS } from '../keys/key-spending.ts';
import { pageLimit } from '../read-shape.ts';

const keyOf = { key_id: idOf('key'), parent_id: idOf('key').nullable().describe('The key above it.') };
const incidentOf = { incident_id: idOf('inc'), started_at: time };

/** The shape of `data` for each type. */
const DATA: { readonly [Type in EventType]: z.ZodObject & z.ZodType<EventData[Type]> } = {
  'balance.low': z.object({
    ...amount('balance', 'the balance after the settlement'),
    ...amount('balance_low', 'the threshold that it fell below'),
  }),
  'key.budget_reached': z.object({
    key_id: idOf('key').describe('The key whose budget it is.'),
    budget: z.enum([...COUNTED_BUDGETS, 'session']),
    percent: z.union([z.literal(80), z.literal(100)]),
    ...amount('limit', 'the budget'),
    ...amount('spent', 'what was spent of it'),
  }),
  'key.created': z.object(keyOf),
  'key.rotated': z.object({
    ...keyOf,
    old_until: time.nullable().describe('Until then the old key still works; null: it ended at once.'),
  }),
  'key.revoked': z.object(keyOf),
  'card.redeemed': z.object({
    card_serial: text,
    ...amount('amount', 'the worth of the card'),
    ...amount('balance', 'the balance after it'),
  }),
  'refund.created': z.object({
    request_id: idOf('req').nullable().describe('The request whose charge is returned, if it is one.'),
    ...amount('amount', 'what was returned'),
    ...amount('balance', 'the balance after it'),
  }),
  'account.losses': z.object({
    request_id: idOf('req').describe('The first request that is charged because of it.'),
    ...amount('allowance', 'what one account can use without a charge on one day'),
  }),
  'model.retiring': z.object({
    model: text,
    retires_at: time,
    replaced_by: text.nullable(),
    on_retired: z.enum(['refuse', 'replace']).describe('Whether its successor serves its calls afterwards.'),
  }),
  'price.changing': z.object({
    model: text,
    effective_at: time,
    price: z.record(text, z.unknown()).describe('The price from then on, as the public catalog shows it.'),
  }),
  'incident.opened': z.object(incidentOf),
  'incident.resolved': z.object({ ...incidentOf, ended_at: time }),
};

const common = {
  id: idOf('evt').describe('Also a cursor: `after=ID` gives what came later.'),
  at: time,
};

export const event = z
  .union(EVENT_TYPES.map((type) => z.object({ ...common, type: z.literal(type), data: DATA[type] })))
  .meta({ id: 'Event' });

export function publicEvent(ids: EventIds, { eventId, type, at, data }: StoredEvent) {
  return { id: ids.write(eventId), type, at: new Date(at).toISOString(), data };
}

export type EventIds = ReturnType<typeof createEventIds>;

const ALGORITHM = 'aes-256-ecb';
/** One block, of which the number is the second half and the first is zero. */
const BLOCK_BYTES = 16;
const SHAPE = /^evt_([0-9a-f]{32})$/;

/**
 * An id is the number of the event, encrypted with a key that all nodes share: it works as a cursor, and nobody learns from
 * it how many events other accounts have.
 */
export function createEventIds(pepper: string) {
  const key = deriveSecret(pepper, 'event');
  return {
    write(eventId: number): string {
      const block = Buffer.alloc(BLOCK_BYTES);
      block.writeBigUInt64BE(BigInt(eventId), BLOCK_BYTES / 2);
      return `evt_${createCipheriv(ALGORITHM, key, null).setAutoPadding(false).update(block).toString('hex')}`;
    },
    /** Undefined if this service did not write the id. */
    read(id: string): number | undefined {
      const hex = SHAPE.exec(id)?.[1];
      if (hex === undefined) return undefined;
      const block = createDecipheriv(ALGORITHM, key, null).setAutoPadding(false).update(hex, 'hex');
      return block.readBigUInt64BE(0) === 0n ? Number(block.readBigUInt64BE(BLOCK_BYTES / 2)) : undefined;
    },
  };
}

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
