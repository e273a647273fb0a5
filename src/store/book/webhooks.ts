// Webhooks of an account and the state of their deliveries. Deliveries and the cursor of a webhook are written together, so
// that no event is lost if a node dies.

import { DAY_MS } from '../../kit/clock.ts';
import type {
  ChangeWebhookInput,
  CreateWebhookInput,
  CreateWebhookResult,
  CursorMove,
  DeleteWebhookInput,
  DeleteWebhookResult,
  RecordDeliveriesInput,
  RecordDeliveriesResult,
  ScheduleWebhookInput,
  TakeRoleInput,
  TakeRoleResult,
  WebhookResult,
} from '../webhook-operations.ts';
import type { Delivery, Webhook } from '../webhook-rows.ts';
import { keyringTouches, refuseActor } from './actors.ts';
import type { Book, Touch } from './book.ts';
import { checkReplay, rememberReplay, replayTouches } from './replays.ts';

export const MAX_WEBHOOKS = 10;
/** A webhook whose deliveries all failed for so long is disabled. */
const FAILING_MS = 5 * DAY_MS;

export function createWebhookTouches({ webhook, by, replay }: CreateWebhookInput): Touch[] {
  const { accountId, webhookId } = webhook;
  return [...keyringTouches(accountId, by), ...listed(accountId, webhookId), ...replayTouches(replay)];
}

export function createWebhook(book: Book, { webhook, by, at, replay }: CreateWebhookInput): CreateWebhookResult {
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

export function changeWebhookTouches({ accountId, webhookId, by, replay }: ChangeWebhookInput): Touch[] {
  return [...keyringTouches(accountId, by), { table: 'webhooks', id: webhookId }, ...replayTouches(replay)];
}

export function changeWebhook(book: Book, input: ChangeWebhookInput): WebhookResult {
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

export function deleteWebhookTouches({ accountId, webhookId, by }: DeleteWebhookInput): Touch[] {
  return [...keyringTouches(accountId, by), ...listed(accountId, webhookId)];
}

/** Its deliveries are deleted later, with other old rows. */
export function deleteWebhook(book: Book, { accountId, webhookId, by, at }: DeleteWebhookInput): DeleteWebhookResult {
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

export function recordDeliveriesTouches({ webhookId, deliveries }: RecordDeliveriesInput): Touch[] {
  return [
    { table: 'webhooks', id: webhookId },
    ...deliveries.map((delivery) => ({ table: 'deliveries', id: deliveryId(delivery) }) as const),
  ];
}

export function recordDeliveries(book: Book, input: RecordDeliveriesInput): RecordDeliveriesResult {
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

export function scheduleWebhookTouches({ webhookId }: ScheduleWebhookInput): Touch[] {
  return [{ table: 'webhooks', id: webhookId }];
}

export function scheduleWebhook(book: Book, input: ScheduleWebhookInput): undefined {
  const { webhookId, seenDueAt, dueAt, pausedUntil, move } = input;
  const webhook = book.get('webhooks', webhookId);
  if (webhook?.dueAt !== seenDueAt) return;
  const cursor = move && mayMove(webhook, move) ? move.to : webhook.cursor;
  if (webhook.dueAt === dueAt && webhook.pausedUntil === pausedUntil && webhook.cursor === cursor) return;
  book.put('webhooks', webhookId, { ...webhook, dueAt, pausedUntil, cursor });
}

export function takeRole(book: Book, { name, expects, value }: TakeRoleInput): TakeRoleResult {
  if ((book.get('settings', name)?.value ?? null) !== expects) return { isTaken: false };
  book.put('settings', name, { value });
  return { isTaken: true };
}
