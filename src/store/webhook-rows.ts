// Rows of webhooks and their deliveries.

import type { EventType } from './event-rows.ts';
import { flag, ID, json, number, type RowOf, table, text } from './table.ts';

export const WEBHOOKS = table('webhooks', 'webhook_id', {
  webhookId: ID,
  accountId: text('account_id'),
  url: text('url'),
  /** Null: every type. */
  types: json<readonly EventType[] | null>('types'),
  enabled: flag('enabled'),
  /** `gone`: the receiver answered 410. `failing`: it failed for days. Null: enabled, or disabled by the account. */
  disabledFor: text<'gone' | 'failing' | null>('disabled_for'),
  /** Sealed, as is the old one. */
  secret: text('secret'),
  oldSecret: text<string | null>('old_secret'),
  /** Until then messages are signed with the old secret, too. */
  oldSecretUntil: number<number | null>('old_secret_until'),
  /** The number of the last event that was sent, that failed and has a row of its own, or that is of another type. */
  cursor: number('cursor_event_id'),
  /** Counts how often the cursor was set back, or the URL or the types were changed. */
  replays: number('replays'),
  /** When it is due again; null: with the next event. */
  dueAt: number<number | null>('due_at'),
  /** The receiver was down when it was last called: new events wait until then, too. */
  pausedUntil: number<number | null>('paused_until'),
  /** The first failure since the last success. */
  failingSince: number<number | null>('failing_since'),
  createdAt: number('created_at'),
});
export interface Webhook extends RowOf<typeof WEBHOOKS> {}

/** The webhooks of one account. */
export const WEBHOOK_LISTS = table('webhook_lists', 'account_id', { ids: json<readonly string[]>('webhook_ids') });

export const DELIVERY_STATES = ['delivered', 'pending', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const DELIVERIES = table('webhook_deliveries', 'delivery_id', {
  webhookId: text('webhook_id'),
  eventId: number('event_id'),
  /** `pending`: it failed and will be repeated. */
  state: text<DeliveryState>('state'),
  attempts: number('attempts'),
  /** From the last response; null without one. */
  status: number<number | null>('status'),
  /** Why the last attempt failed; not a text of the receiver. */
  detail: text<string | null>('detail'),
  lastAt: number('last_at'),
  nextAt: number<number | null>('next_at'),
});
export interface Delivery extends RowOf<typeof DELIVERIES> {}
