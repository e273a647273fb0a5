// Rows of webhooks and their deliveries.

import type { EventType } from './event-rows.ts';

export interface Webhook {
  webhookId: string;
  accountId: string;
  url: string;
  /** Null: every type. */
  types: readonly EventType[] | null;
  enabled: boolean;
  /** `gone`: the receiver answered 410. `failing`: it failed for days. Null: enabled, or disabled by the account. */
  disabledFor: 'gone' | 'failing' | null;
  /** Sealed, as is the old one. */
  secret: string;
  oldSecret: string | null;
  /** Until then messages are signed with the old secret, too. */
  oldSecretUntil: number | null;
  /** The number of the last event that was sent, that failed and has a row of its own, or that is of another type. */
  cursor: number;
  /** Counts how often the cursor was set back, or the URL or the types were changed. */
  replays: number;
  /** When it is due again; null: with the next event. */
  dueAt: number | null;
  /** The receiver was down when it was last called: new events wait until then, too. */
  pausedUntil: number | null;
  /** The first failure since the last success. */
  failingSince: number | null;
  createdAt: number;
}

/** The webhooks of one account. */
export interface WebhookList {
  ids: readonly string[];
}

export const DELIVERY_STATES = ['delivered', 'pending', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface Delivery {
  webhookId: string;
  eventId: number;
  /** `pending`: it failed and will be repeated. */
  state: DeliveryState;
  attempts: number;
  /** From the last response; null without one. */
  status: number | null;
  /** Why the last attempt failed; not a text of the receiver. */
  detail: string | null;
  lastAt: number;
  nextAt: number | null;
}
