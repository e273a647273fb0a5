// Webhooks of an account and the state of their deliveries. Deliveries and the cursor of a webhook are written together, so
// that no event is lost if a node dies.

import { DAY_MS } from '../../kit/clock.ts';
import type { Delivery, Webhook } from '../event-rows.ts';
import { type ActorInput, type ActorRefusal, keyringTouches, refuseActor } from './actors.ts';
import type { Book, Operations, Touch } from './book.ts';
import { checkReplay, type ReplayRequest, rememberReplay, replayTouches } from './replays.ts';

export const MAX_WEBHOOKS = 10;
/** A webhook whose deliveries all failed for so long is disabled. */
const FAILING_MS = 5 * DAY_MS;

export type WebhookResult =
  | { ok: true; webhook: Webhook; replayedSalt?: string }
  | { ok: false; reason: ActorRefusal | 'not_found' | 'idempotency_key_reused' };

interface CreateWebhookInput extends ActorInput {
  webhook: Webhook;
  at: number;
  replay?: ReplayRequest | undefined;
}

export type CreateWebhookResult = WebhookResult | { ok: false; reason: 'too_many_webhooks' };

interface ChangeWebhookInput extends ActorInput {
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

interface DeleteWebhookInput extends ActorInput {
  accountId: string;
  webhookId: string;
  at: number;
}

/** From one event to the next, unless another sender has moved the cursor or the account has changed the webhook meanwhile. */
export interface CursorMove {
  /** As the webhook had it when it was read. */
  replays: number;
  from: number;
  to: number;
}

/** Deliveries of one webhook, in the order in which they were sent. */
interface RecordDeliveriesInput {
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

/** Sets when a webhook is due again, unless another caller has changed that meanwhile. */
interface ScheduleWebhookInput {
  webhookId: string;
  /** As it was when the webhook was read. */
  seenDueAt: number | null;
  dueAt: number | null;
  pausedUntil: number | null;
  /** Past events of other types. */
  move?: CursorMove | undefined;
}

/** A role that one node at a time holds. The holder changes the value regularly; if it stops, another node takes over. */
interface TakeRoleInput {
  name: `role:${string}`;
  /** Null if no node held it before. */
  expects: string | null;
  value: string;
}

export const WEBHOOK_OPERATIONS = {
  createWebhook: {
    touches: ({ webhook: { accountId, webhookId }, by, replay }: CreateWebhookInput) => [
      ...keyringTouches(accountId, by),
      ...listed(accountId, webhookId),
      ...replayTouches(replay),
    ],
    decide: createWebhook,
  },
  changeWebhook: {
    touches: ({ accountId, webhookId, by, replay }: ChangeWebhookInput) => [
      ...keyringTouches(accountId, by),
      { table: 'webhooks', id: webhookId },
      ...replayTouches(replay),
    ],
    decide: changeWebhook,
  },
  deleteWebhook: {
    touches: ({ accountId, webhookId, by }: DeleteWebhookInput) => [
      ...keyringTouches(accountId, by),
      ...listed(accountId, webhookId),
    ],
    decide: deleteWebhook,
  },
  recordDeliveries: {
    touches: ({ webhookId, deliveries }: RecordDeliveriesInput) => [
      { table: 'webhooks', id: webhookId },
      ...deliveries.map((delivery) => ({ table: 'deliveries', id: deliveryId(delivery) }) as const),
    ],
    decide: recordDeliveries,
  },
  scheduleWebhook: {
    touches: ({ webhookId }: ScheduleWebhookInput) => [{ table: 'webhooks', id: webhookId }],
    decide: scheduleWebhook,
  },
  takeRole: { touches: ({ name }: TakeRoleInput) => [{ table: 'settings', id: name }], decide: takeRole },
} satisfies Operations;

function createWebhook(book: Book, { webhook, by, at, replay }: CreateWebhookInput): CreateWebhookResult {
  const { accountId, webhookId } = webhook;
  const known = replayed(book, { accountId, by, at, replay });
  if (known) return known;
  const { ids = [] } = book.get('webhookLists', accountId) ?? {};
  if (ids.length >= MAX_WEBHOOKS) return { ok: false, reason: 'too_many_webhooks' };
  book.put('webhookLists', accountId, { ids: [...ids, webhookId] });
  book.put('webhooks', webhookId, webhook);
  rememberReplay(book, replay, webhook, at);
  return { ok: true, webhook };
}

function changeWebhook(book: Book, input: ChangeWebhookInput): WebhookResult {
  const { accountId, webhookId, changes, replayAfter, rotation, at, replay } = input;
  const known = replayed(book, input);
  if (known) return known;
  const before = book.get('webhooks', webhookId);
  if (before?.accountId !== accountId) return { ok: false, reason: 'not_found' };
  const isEnabledNow = changes.enabled === true && !before.enabled;
  const isOther = changes.url !== undefined || changes.types !== undefined || replayAfter !== undefined;
  const webhook: Webhook = {
    ...before,
    url: changes.url ?? before.url,
    types: changes.types === undefined ? before.types : changes.types,
    enabled: changes.enabled ?? before.enabled,
    cursor: replayAfter ?? before.cursor,
    replays: before.replays + (isOther ? 1 : 0),
    ...(rotation ? { secret: rotation.secret, oldSecret: before.secret, oldSecretUntil: rotation.oldUntil } : {}),
    ...(changes.enabled === undefined ? {} : { disabledFor: null }),
    ...(isEnabledNow ? { failingSince: null } : {}),
    dueAt: at,
    pausedUntil: null,
  };
  book.put('webhooks', webhookId, webhook);
  rememberReplay(book, replay, webhook, at);
  return { ok: true, webhook };
}

/** Its deliveries are deleted later, with other old rows. */
function deleteWebhook(
  book: Book,
  { accountId, webhookId, by, at }: DeleteWebhookInput,
): { ok: true } | { ok: false; reason: ActorRefusal | 'not_found' } {
  const refused = refuseActor(book, accountId, by, at);
  if (refused) return refused;
  if (book.get('webhooks', webhookId)?.accountId !== accountId) return { ok: false, reason: 'not_found' };
  const { ids = [] } = book.get('webhookLists', accountId) ?? {};
  const left = ids.filter((id) => id !== webhookId);
  book.put('webhookLists', accountId, left.length > 0 ? { ids: left } : undefined);
  book.put('webhooks', webhookId, undefined);
  return { ok: true };
}

/** An actor who may not act, or the answer to a repeated call. */
function replayed(
  book: Book,
  { accountId, by, at, replay }: Pick<ChangeWebhookInput, 'accountId' | 'by' | 'at' | 'replay'>,
): Extract<WebhookResult, { replayedSalt?: string } | { ok: false }> | undefined {
  const known = checkReplay(book, replay, at);
  if (known.found === 'other_body') return { ok: false, reason: 'idempotency_key_reused' };
  const refused = refuseActor(book, accountId, by, at);
  if (refused) return refused;
  if (known.found === 'nothing') return undefined;
  return { ok: true, webhook: JSON.parse(known.result) as Webhook, replayedSalt: known.salt };
}

function listed(accountId: string, webhookId: string): Touch[] {
  return [
    { table: 'webhookLists', id: accountId },
    { table: 'webhooks', id: webhookId },
  ];
}

/** `gone`: it was deleted or disabled. `moved`: nothing was written, because the cursor is elsewhere or the webhook was changed. */
function recordDeliveries(
  book: Book,
  input: RecordDeliveriesInput,
): { ok: true; disabledFor: Webhook['disabledFor'] } | { ok: false; reason: 'gone' | 'moved' } {
  const { webhookId, deliveries, url, move, isGone, at } = input;
  const webhook = book.get('webhooks', webhookId);
  if (!webhook?.enabled) return { ok: false, reason: 'gone' };
  if (webhook.url !== url || (move && !mayMove(webhook, move))) return { ok: false, reason: 'moved' };
  let { failingSince } = webhook;
  for (const delivery of deliveries) {
    book.put('deliveries', deliveryId(delivery), delivery);
    failingSince = delivery.state === 'delivered' ? null : (failingSince ?? at);
  }
  const hasFailedLong = failingSince !== null && at - failingSince >= FAILING_MS;
  const disabledFor = isGone ? 'gone' : hasFailedLong ? 'failing' : null;
  const cursor = move?.to ?? webhook.cursor;
  const enabled = disabledFor === null;
  book.put('webhooks', webhookId, { ...webhook, cursor, failingSince, enabled, disabledFor });
  return { ok: true, disabledFor };
}

function mayMove({ cursor, replays }: Webhook, move: CursorMove): boolean {
  return cursor === move.from && replays === move.replays;
}

/** One for each webhook and event: a repeated delivery replaces it. */
function deliveryId({ webhookId, eventId }: Pick<Delivery, 'webhookId' | 'eventId'>): string {
  return `${webhookId}:${eventId}`;
}

function scheduleWebhook(book: Book, input: ScheduleWebhookInput): undefined {
  const { webhookId, seenDueAt, dueAt, pausedUntil, move } = input;
  const webhook = book.get('webhooks', webhookId);
  if (webhook?.dueAt !== seenDueAt) return;
  const cursor = move && mayMove(webhook, move) ? move.to : webhook.cursor;
  if (webhook.dueAt === dueAt && webhook.pausedUntil === pausedUntil && webhook.cursor === cursor) return;
  book.put('webhooks', webhookId, { ...webhook, dueAt, pausedUntil, cursor });
}

function takeRole(book: Book, { name, expects, value }: TakeRoleInput): { isTaken: boolean } {
  if ((book.get('settings', name)?.value ?? null) !== expects) return { isTaken: false };
  book.put('settings', name, { value });
  return { isTaken: true };
}
