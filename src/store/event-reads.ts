// Reads of events, the oldest first, and of webhooks and their deliveries.

import {
  DELIVERIES,
  type Delivery,
  type DeliveryState,
  type EventType,
  STORED_EVENTS,
  type StoredEvent,
  WEBHOOKS,
} from './event-rows.ts';
import {
  all,
  ask,
  type Condition,
  first,
  given,
  many,
  one,
  QUICK,
  QUICK_JOURNALED,
  type Row,
  read,
  rowOf,
  type SqlQuery,
  where,
} from './read.ts';

interface EventQuery {
  accountId: string;
  /** Only events with a higher number. */
  after: number;
  /** Only these; every type if left out. */
  types?: readonly EventType[] | undefined;
  limit: number;
}

interface DeliveryQuery {
  webhookId: string;
  state?: DeliveryState | undefined;
  /** Only events with a lower number. */
  before?: number | undefined;
  limit: number;
}

interface PendingDelivery {
  delivery: Delivery;
  event: StoredEvent;
}

export const EVENT_READS = {
  /** Those of the account and those of all accounts. */
  eventsOf: read(QUICK_JOURNALED, eventsQuery, all(rowOf(STORED_EVENTS))),
  /** Events of all accounts. An event that is still in the journal is returned by a later read, never out of order. */
  eventsSince: many(
    QUICK,
    STORED_EVENTS,
    'WHERE event_id > ? ORDER BY event_id LIMIT ?',
    (after: number, limit: number) => [after, limit],
  ),
  webhook: one(QUICK, WEBHOOKS, 'WHERE webhook_id = ?', (webhookId: string) => [webhookId]),
  webhooksOf: many(QUICK, WEBHOOKS, 'WHERE account_id = ? ORDER BY webhook_id', (accountId: string) => [accountId]),
  /** Enabled ones of any of these accounts. */
  enabledWebhooksOf: many(
    QUICK,
    WEBHOOKS,
    'WHERE account_id = ANY(?) AND enabled ORDER BY webhook_id',
    (accountIds: readonly string[]) => [accountIds],
  ),
  /** Enabled ones of all accounts, page by page. */
  enabledWebhooks: many(
    QUICK,
    WEBHOOKS,
    'WHERE enabled AND webhook_id > ? ORDER BY webhook_id LIMIT ?',
    (after: string, limit: number) => [after, limit],
  ),
  dueWebhooks: many(
    QUICK,
    WEBHOOKS,
    'WHERE enabled AND due_at <= ? ORDER BY due_at LIMIT ?',
    (at: number, limit: number) => [at, limit],
  ),
  /** The newest events first. */
  deliveriesOf: read(QUICK, deliveriesQuery, all(rowOf(DELIVERIES))),
  /** Those whose next attempt is due, with their events, the oldest first. */
  dueDeliveries: read(
    QUICK,
    (webhookId: string, at: number, limit: number) =>
      ask(
        `SELECT events.event_id, events.account_id, events.type, events.at, events.data,
           webhook_id, state, attempts, status, detail, last_at, next_at
         FROM webhook_deliveries JOIN events ON events.event_id = webhook_deliveries.event_id
         WHERE webhook_id = ? AND next_at <= ? ORDER BY webhook_deliveries.event_id LIMIT ?`,
        webhookId,
        at,
        limit,
      ),
    all(decodePending),
  ),
  /** When the earliest next attempt is due; undefined if nothing is pending whose event is still kept. */
  nextAttemptAt: read(
    QUICK,
    (webhookId: string) =>
      ask(
        `SELECT next_at FROM webhook_deliveries JOIN events ON events.event_id = webhook_deliveries.event_id
         WHERE webhook_id = ? AND next_at IS NOT NULL ORDER BY next_at LIMIT 1`,
        webhookId,
      ),
    first((row) => Number(row.next_at)),
  ),
  role: read(
    QUICK,
    (name: string) => ask('SELECT value FROM settings WHERE name = ?', name),
    first((row) => String(row.value)),
  ),
};

/** Each half is a range of the index by account; one condition for both would look at the events of every account. */
function eventsQuery({ accountId, after, types, limit }: EventQuery): SqlQuery {
  const half = (whose: Condition) => {
    const { sql, values } = where([whose, ['event_id > ?', after], given('type = ANY(?)', types)]);
    return { sql: `SELECT * FROM ${STORED_EVENTS.name} ${sql} ORDER BY event_id LIMIT ?`, values: [...values, limit] };
  };
  const own = half(['account_id = ?', accountId]);
  const common = half(['account_id IS NULL']);
  return {
    sql: `SELECT * FROM (${own.sql}) AS own UNION ALL SELECT * FROM (${common.sql}) AS common ORDER BY event_id LIMIT ?`,
    values: [...own.values, ...common.values, limit],
  };
}

function deliveriesQuery({ webhookId, state, before, limit }: DeliveryQuery): SqlQuery {
  const { sql, values } = where([
    ['webhook_id = ?', webhookId],
    given('state = ?', state),
    given('event_id < ?', before),
  ]);
  return ask(`SELECT * FROM webhook_deliveries ${sql} ORDER BY event_id DESC LIMIT ?`, ...values, limit);
}

const decodeDelivery = rowOf(DELIVERIES);
const decodeEvent = rowOf(STORED_EVENTS);

function decodePending(row: Row): PendingDelivery {
  return { delivery: decodeDelivery(row), event: decodeEvent(row) };
}
