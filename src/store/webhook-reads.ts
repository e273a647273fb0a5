// Reads about webhooks and their deliveries.

import { STORED_EVENTS, type StoredEvent } from './event-rows.ts';
import { all, ask, first, many, one, QUICK, type Row, read, rowOf } from './read.ts';
import { given, type SqlQuery, where } from './sql-query.ts';
import { DELIVERIES, type Delivery, type DeliveryState, WEBHOOKS } from './webhook-rows.ts';

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

export const WEBHOOK_READS = {
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
