// Events of one account or of all accounts, and the webhooks that they are delivered to. An event is added by the operation that
// causes it, in the same transaction. It has ids and figures, as the API shows them, and never content.

import type { moneyFields } from '../kit/money.ts';
import type { BudgetKind } from './admission.ts';
import { flag, ID, json, number, type RowOf, type Table, table, text, withId } from './table.ts';

export const EVENT_TYPES = [
  'balance.low',
  'key.budget_reached',
  'key.created',
  'key.rotated',
  'key.revoked',
  'card.redeemed',
  'refund.created',
  'account.losses',
  'model.retiring',
  'price.changing',
  'incident.opened',
  'incident.resolved',
] as const satisfies readonly (keyof EventData)[];
export type EventType = (typeof EVENT_TYPES)[number];

type Amount<Name extends string> = ReturnType<typeof moneyFields<Name>>;

export interface EventData {
  'balance.low': Amount<'balance'> & Amount<'balance_low'>;
  'key.budget_reached': { key_id: string; budget: BudgetKind; percent: 80 | 100 } & Amount<'limit'> & Amount<'spent'>;
  'key.created': { key_id: string; parent_id: string | null };
  /** `old_until`: the old text works until then; null: it ended at once. */
  'key.rotated': { key_id: string; parent_id: string | null; old_until: string | null };
  'key.revoked': { key_id: string; parent_id: string | null };
  'card.redeemed': { card_serial: string } & Amount<'amount'> & Amount<'balance'>;
  /** `request_id`: the call whose charge is returned; null for any other amount. */
  'refund.created': { request_id: string | null } & Amount<'amount'> & Amount<'balance'>;
  /** This request used up the day's allowance for calls without a charge (the guard `loss_per_account_day`). */
  'account.losses': { request_id: string } & Amount<'allowance'>;
  'model.retiring': {
    model: string;
    retires_at: string;
    replaced_by: string | null;
    on_retired: 'refuse' | 'replace';
  };
  /** `price`: as the public catalog shows it. */
  'price.changing': { model: string; effective_at: string; price: Readonly<Record<string, unknown>> };
  'incident.opened': { incident_id: string; started_at: string };
  'incident.resolved': { incident_id: string; started_at: string; ended_at: string };
}

/** `accountId`: null for all accounts. */
export type NewEvent = {
  [Type in EventType]: { accountId: string | null; type: Type; at: number; data: EventData[Type] };
}[EventType];

export const EVENTS: Table<NewEvent> = table('events', 'event_id', {
  accountId: text<string | null>('account_id'),
  type: text<EventType>('type'),
  at: number('at'),
  /** Of which type, its `type` says. */
  data: json<never>('data'),
});

/** With its number: events are numbered in the order in which they are committed. */
export const STORED_EVENTS = withId<NewEvent, { eventId: number }>(EVENTS, 'eventId');
export type StoredEvent = RowOf<typeof STORED_EVENTS>;

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
