// An event as the API and webhooks show it.

import { z } from 'zod';
import { amount, idOf, text, time } from '../../kit/shapes.ts';
import { EVENT_TYPES, type EventData, type EventType, type StoredEvent } from '../../store/event-rows.ts';
import { COUNTED_BUDGETS } from '../keys/key-spending.ts';
import type { EventIds } from './event-ids.ts';

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
