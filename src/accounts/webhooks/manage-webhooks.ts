// Creates, changes, rotates, tests and deletes the webhooks of an account, and lists their deliveries.

import type { z } from 'zod';
import { type Fault, fault } from '../../faults/fault.ts';
import { WAIT } from '../../faults/table.ts';
import { assert } from '../../kit/assert.ts';
import { type Clock, DAY_MS, MINUTE_MS } from '../../kit/clock.ts';
import type { Idempotency } from '../../kit/idempotency.ts';
import type { Sealer } from '../../kit/sealed.ts';
import { webhookSecretOf } from '../../kit/webhook-signature.ts';
import { createCounter } from '../../limits/counter.ts';
import { MAX_WEBHOOKS } from '../../store/book/webhooks.ts';
import type { CreateWebhookResult } from '../../store/operations.ts';
import type { Webhook } from '../../store/rows.ts';
import { type EventIds, readCursor } from '../events/public-event.ts';
import type { KeyTools, Requester } from '../keys/manage-keys.ts';
import { type NewSecret, newSecret, replayOf } from '../replays.ts';
import { SessionEnded } from '../sign-in/sessions.ts';
import { ATTEMPT_MS } from './deliver-events.ts';
import { type MessageTools, sendMessage } from './send-message.ts';
import {
  type deliveryFilters,
  type NewWebhook,
  publicDelivery,
  publicWebhook,
  refuseUrl,
  type replayAsked,
  type UrlRules,
  type WebhookChanges,
} from './webhook-shapes.ts';

interface WebhookTools extends Pick<KeyTools, 'store' | 'clock' | 'random' | 'newId'> {
  sealer: Sealer;
  eventIds: EventIds;
  webhookUrls: UrlRules;
}

/** How long messages are also signed with the old secret after a rotation. */
const OLD_SECRET_MS = DAY_MS;

export async function listWebhooks({ store, clock }: WebhookTools, accountId: string) {
  const webhooks = await store.read.webhooksOf(accountId);
  return { object: 'list' as const, data: webhooks.map((webhook) => publicWebhook(webhook, clock.now())) };
}

export async function showWebhook(tools: WebhookTools, accountId: string, webhookId: string) {
  return publicWebhook(await findWebhook(tools, accountId, webhookId), tools.clock.now());
}

/** Throws `not_found` for a webhook of another account, too. */
export async function findWebhook({ store }: WebhookTools, accountId: string, webhookId: string): Promise<Webhook> {
  const webhook = await store.read.webhook(webhookId);
  if (webhook?.accountId !== accountId) throw fault('not_found');
  return webhook;
}

export async function addWebhook(
  tools: WebhookTools,
  { accountId, by }: Requester,
  { url, types = null }: NewWebhook,
  idempotency: Idempotency | undefined,
) {
  checkUrl(tools, url);
  const at = tools.clock.now();
  const webhookId = tools.newId('whk');
  const secret = newSecret(webhookSecretOf, tools.random, idempotency);
  const { newestEvent } = await tools.store.read.pulse();
  const webhook: Webhook = {
    webhookId,
    accountId,
    url,
    types,
    enabled: true,
    disabledFor: null,
    secret: tools.sealer.seal(secret.text, owner(webhookId)),
    oldSecret: null,
    oldSecretUntil: null,
    cursor: newestEvent,
    replays: 0,
    dueAt: null,
    pausedUntil: null,
    failingSince: null,
    createdAt: at,
  };
  const result = await tools.store.commit('createWebhook', { webhook, by, at, replay: replayOf(idempotency) });
  return withSecret(done(result, by), secret, at);
}

export async function editWebhook(
  tools: WebhookTools,
  { accountId, by }: Requester,
  webhookId: string,
  changes: WebhookChanges,
) {
  if (changes.url !== undefined) checkUrl(tools, changes.url);
  const at = tools.clock.now();
  const result = await tools.store.commit('changeWebhook', { accountId, webhookId, changes, by, at });
  return publicWebhook(done(result, by).webhook, at);
}

export async function removeWebhook({ store, clock }: WebhookTools, { accountId, by }: Requester, webhookId: string) {
  const result = await store.commit('deleteWebhook', { accountId, webhookId, by, at: clock.now() });
  if (!result.ok) throw refusal(result, by);
  return { id: webhookId, deleted: true as const };
}

export async function rotateWebhook(
  tools: WebhookTools,
  { accountId, by }: Requester,
  webhookId: string,
  idempotency: Idempotency | undefined,
) {
  const at = tools.clock.now();
  const secret = newSecret(webhookSecretOf, tools.random, idempotency);
  const rotation = { secret: tools.sealer.seal(secret.text, owner(webhookId)), oldUntil: at + OLD_SECRET_MS };
  const input = { accountId, webhookId, changes: {}, rotation, by, at, replay: replayOf(idempotency) };
  const result = await tools.store.commit('changeWebhook', input);
  return withSecret(done(result, by), secret, at);
}

/** Events after that one are sent again, as far as they are kept. */
export async function replayWebhook(
  tools: WebhookTools,
  { accountId, by }: Requester,
  webhookId: string,
  { after }: z.output<typeof replayAsked>,
) {
  const at = tools.clock.now();
  const replayAfter = readCursor(tools.eventIds, after ?? undefined);
  const input = { accountId, webhookId, changes: {}, replayAfter, by, at };
  const result = await tools.store.commit('changeWebhook', input);
  return publicWebhook(done(result, by).webhook, at);
}

export async function listDeliveries(
  tools: WebhookTools,
  accountId: string,
  webhookId: string,
  { state, limit, cursor }: z.output<typeof deliveryFilters>,
) {
  const before = cursor === undefined ? undefined : readCursor(tools.eventIds, cursor, 'cursor');
  await findWebhook(tools, accountId, webhookId);
  const found = await tools.store.read.deliveriesOf({ webhookId, state, before, limit: limit + 1 });
  const data = found.slice(0, limit);
  const last = data.at(-1);
  const hasMore = found.length > limit;
  return {
    object: 'list' as const,
    data: data.map((delivery) => publicDelivery(tools.eventIds, delivery)),
    has_more: hasMore,
    next_cursor: hasMore && last ? tools.eventIds.write(last.eventId) : null,
  };
}

function checkUrl({ webhookUrls }: WebhookTools, url: string): void {
  const message = refuseUrl(url, webhookUrls);
  if (message !== undefined) throw fault('invalid_request', { param: 'url', message });
}

interface Done {
  webhook: Webhook;
  replayedSalt?: string;
}

function withSecret({ webhook, replayedSalt }: Done, secret: NewSecret, at: number) {
  return secret.answer(replayedSalt, (shown) => ({ ...publicWebhook(webhook, at), secret: shown }));
}

function done(result: CreateWebhookResult, by: Requester['by']): Done {
  if (!result.ok) throw refusal(result, by);
  return result;
}

type Refused = Extract<CreateWebhookResult, { ok: false }>;

function refusal({ reason }: Refused, by: Requester['by']): Fault | SessionEnded {
  switch (reason) {
    case 'actor_gone':
      return 'session' in by ? new SessionEnded() : fault('invalid_api_key');
    case 'actor_not_permitted':
      return fault('key_not_permitted');
    case 'too_many_webhooks':
      return fault('invalid_request', {
        message: `This account has ${MAX_WEBHOOKS} webhooks, which is the maximum. Delete one first.`,
      });
    default:
      return fault(reason);
  }
}

/** The secrets that messages are signed with: the newest first. Throws rather than leave one out. */
export type SecretsOf = (webhook: Webhook) => string[];

/** Sealed in the database, with its id as associated data, because signing needs the text. */
const owner = (webhookId: string) => `webhook:${webhookId}`;

export function createSecretsOf(sealer: Sealer, clock: Clock): SecretsOf {
  return ({ webhookId, secret, oldSecret, oldSecretUntil }) => {
    const isOldValid = oldSecret !== null && oldSecretUntil !== null && oldSecretUntil > clock.now();
    return (isOldValid ? [secret, oldSecret] : [secret]).map((sealed) => {
      const text = sealer.open(sealed, owner(webhookId));
      assert(text !== undefined, 'the secret of a webhook is sealed under the pepper of the database');
      return text;
    });
  };
}

export interface TestTools extends WebhookTools, MessageTools {
  secretsOf: SecretsOf;
  countTest: ReturnType<typeof createTestCounter>;
}

const TESTS_PER_MINUTE = 10;
const MAX_ACCOUNTS = 10_000;

export function createTestCounter(clock: Clock) {
  const tests = createCounter({ clock, spanMs: MINUTE_MS, maxSubjects: MAX_ACCOUNTS });
  return (accountId: string) => {
    if (tests.take(accountId, TESTS_PER_MINUTE)) return;
    throw fault('rate_limited', {
      message: `Tests of webhooks for this minute are used up (${TESTS_PER_MINUTE}). Retry in ${WAIT}.`,
      ...tests.reached(accountId, TESTS_PER_MINUTE),
    });
  };
}

/**
 * Sends a test message at once, enabled or not, and returns the result. It is not an event: it is not retried, and it does not
 * appear in the list of deliveries.
 */
export async function testWebhook(tools: TestTools, accountId: string, webhookId: string) {
  const webhook = await findWebhook(tools, accountId, webhookId);
  tools.countTest(accountId);
  const id = tools.newId('test');
  const timestamp = new Date(tools.clock.now()).toISOString();
  const { isDelivered, status, detail, ms } = await sendMessage(tools, {
    id,
    url: webhook.url,
    body: JSON.stringify({ id, type: 'webhook.test', timestamp, data: { webhook_id: webhookId } }),
    secrets: tools.secretsOf(webhook),
    timeoutMs: ATTEMPT_MS,
  });
  return { event_id: id, delivered: isDelivered, status, error: detail, duration_ms: ms };
}
