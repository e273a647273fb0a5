// Inputs and results of the operations on webhooks.

import type { ActorInput, ActorRefusal } from './book/actors.ts';
import type { ReplayRequest } from './book/replays.ts';
import type { Delivery, Webhook } from './webhook-rows.ts';

type Replayed = { replayedSalt?: string };
export type WebhookResult =
  | ({ ok: true; webhook: Webhook } & Replayed)
  | { ok: false; reason: ActorRefusal | 'not_found' | 'idempotency_key_reused' };

export interface CreateWebhookInput extends ActorInput {
  webhook: Webhook;
  at: number;
  replay?: ReplayRequest | undefined;
}
export type CreateWebhookResult = WebhookResult | { ok: false; reason: 'too_many_webhooks' };

export interface ChangeWebhookInput extends ActorInput {
  accountId: string;
  webhookId: string;
  changes: { [Field in 'url' | 'types' | 'enabled']?: Webhook[Field] | undefined };
  /** Events after this number are sent again. */
  replayAfter?: number | undefined;
  /** A new secret, sealed; the old one counts until then. */
  rotation?: { secret: string; oldUntil: number } | undefined;
  at: number;
  replay?: ReplayRequest | undefined;
}

export interface DeleteWebhookInput extends ActorInput {
  accountId: string;
  webhookId: string;
  at: number;
}
export type DeleteWebhookResult = { ok: true } | { ok: false; reason: ActorRefusal | 'not_found' };

/** From one event to the next, unless another sender has moved the cursor or the account has changed the webhook meanwhile. */
export interface CursorMove {
  /** As the webhook had it when it was read. */
  replays: number;
  from: number;
  to: number;
}

/** Deliveries of one webhook, in the order in which they were sent. */
export interface RecordDeliveriesInput {
  webhookId: string;
  deliveries: readonly Delivery[];
  /** Where they were sent. */
  url: string;
  /** For events that are sent for the first time. */
  move?: CursorMove | undefined;
  /** The receiver unsubscribed. */
  isGone: boolean;
  at: number;
}
/** `gone`: it was deleted or disabled. `moved`: nothing was written, because the cursor is elsewhere or the webhook was changed. */
export type RecordDeliveriesResult =
  | { ok: true; disabledFor: Webhook['disabledFor'] }
  | { ok: false; reason: 'gone' | 'moved' };

/** Sets when a webhook is due again, unless another caller has changed that meanwhile. */
export interface ScheduleWebhookInput {
  webhookId: string;
  /** As it was when the webhook was read. */
  seenDueAt: number | null;
  dueAt: number | null;
  pausedUntil: number | null;
  /** Past events of other types. */
  move?: CursorMove | undefined;
}

/** A role that one node at a time holds. The holder changes the value regularly; if it stops, another node takes over. */
export interface TakeRoleInput {
  name: `role:${string}`;
  /** Null if no node held it before. */
  expects: string | null;
  value: string;
}
export interface TakeRoleResult {
  isTaken: boolean;
}

export interface WebhookOperations {
  createWebhook: { input: CreateWebhookInput; result: CreateWebhookResult };
  changeWebhook: { input: ChangeWebhookInput; result: WebhookResult };
  deleteWebhook: { input: DeleteWebhookInput; result: DeleteWebhookResult };
  recordDeliveries: { input: RecordDeliveriesInput; result: RecordDeliveriesResult };
  scheduleWebhook: { input: ScheduleWebhookInput; result: undefined };
  takeRole: { input: TakeRoleInput; result: TakeRoleResult };
}
