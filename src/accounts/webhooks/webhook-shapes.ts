// Shapes of the requests and responses of the webhook API, and which URLs it takes.

import { z } from 'zod';
import { bareHost, isPublicAddress } from '../../channels/public-host.ts';
import { parseAddress } from '../../kit/address.ts';
import { count, flag, idOf, isList, named, text, time } from '../../kit/shapes.ts';
import { DELIVERY_STATES, EVENT_TYPES } from '../../store/event-rows.ts';
import type { Delivery, Webhook } from '../../store/rows.ts';
import type { EventIds } from '../events/public-event.ts';
import { pageLimit } from '../read-shape.ts';

const MAX_URL_CHARS = 2_048;
const URL_TEXT = `url must be a text of at most ${MAX_URL_CHARS} characters.`;
const TYPES = `types must be a list of event types, or null for every type. Types: ${EVENT_TYPES.join(', ')}.`;
const AFTER = 'after must be the id of an event, or null for every event that is kept.';

const fields = {
  types: z
    .array(z.enum(EVENT_TYPES, TYPES), TYPES)
    .min(1, TYPES)
    .transform((types) => EVENT_TYPES.filter((type) => types.includes(type)))
    .nullable()
    .describe('The events to send; null: every type.'),
  url: z.string(URL_TEXT).max(MAX_URL_CHARS, URL_TEXT).describe('An https address on the public internet.'),
};

export const newWebhook = z.strictObject(fields).partial({ types: true }).meta({ id: 'NewWebhook' });
export const webhookChanges = z
  .strictObject({ ...fields, enabled: z.boolean('enabled must be true or false.') })
  .partial()
  .meta({ id: 'WebhookChanges' });
export type NewWebhook = z.output<typeof newWebhook>;
export type WebhookChanges = z.output<typeof webhookChanges>;

export const replayAsked = z
  .strictObject({
    after: z
      .string(AFTER)
      .nullable()
      .describe('The last event that is not sent again; null: every event that is kept.'),
  })
  .meta({ id: 'WebhookReplay' });

/** The body of calls that take an Idempotency-Key and nothing else. */
export const noFields = z.strictObject({}).meta({ id: 'NoFields' });

export const deliveryFilters = z.object({
  state: z
    .enum(DELIVERY_STATES, 'state must be delivered, pending or failed.')
    .optional()
    .describe('pending: it failed and will be repeated.'),
  limit: pageLimit('Deliveries'),
  cursor: text.optional().describe('next_cursor of the page before.'),
});

const webhookMembers = {
  id: idOf('whk'),
  url: text,
  types: z.array(z.enum(EVENT_TYPES)).nullable().describe('null: every type.'),
  enabled: flag,
  disabled_for: z
    .enum(['gone', 'failing'])
    .nullable()
    .describe('gone: the receiver answered 410. failing: every delivery failed for five days. null: neither.'),
  failing_since: time.nullable().describe('The first failure since the last success.'),
  old_secret_until: time.nullable().describe('Until then messages are signed with the old secret, too.'),
  created_at: time,
};
const secret = text
  .regex(/^whsec_[0-9A-Za-z+/]+=*$/)
  .describe('Shown once. Messages are signed with it, as the Standard Webhooks specification has it.');

export const webhookShape = named('Webhook', webhookMembers);
export const webhookWithSecret = named('WebhookWithSecret', { ...webhookMembers, secret });
export const webhookList = named('WebhookList', { object: isList, data: z.array(webhookShape) });
export const deletedWebhook = named('DeletedWebhook', { id: idOf('whk'), deleted: z.literal(true) });

export const testResult = named('WebhookTest', {
  event_id: text.describe('The id of the message that was sent.'),
  delivered: flag,
  status: count.nullable().describe('Of the response; null without one.'),
  error: text.nullable().describe('Why it was not delivered.'),
  duration_ms: count,
});

export const deliveryList = named('WebhookDeliveryList', {
  object: isList,
  data: z.array(
    named('WebhookDelivery', {
      event_id: idOf('evt'),
      state: z.enum(DELIVERY_STATES),
      attempts: count,
      last_status: count.nullable().describe('Of the last response; null without one.'),
      last_error: text.nullable(),
      last_attempt_at: time,
      next_attempt_at: time.nullable(),
    }),
  ),
  has_more: flag,
  next_cursor: text.nullable(),
});

const isoTime = (at: number) => new Date(at).toISOString();
const maybeTime = (at: number | null) => (at === null ? null : isoTime(at));

export function publicWebhook({ webhookId, url, types, enabled, ...rest }: Webhook, now: number) {
  const { disabledFor, failingSince, oldSecretUntil, createdAt } = rest;
  return {
    id: webhookId,
    url,
    types,
    enabled,
    disabled_for: disabledFor,
    failing_since: maybeTime(failingSince),
    old_secret_until: oldSecretUntil !== null && oldSecretUntil > now ? isoTime(oldSecretUntil) : null,
    created_at: isoTime(createdAt),
  };
}

export function publicDelivery(ids: EventIds, { eventId, state, attempts, status, detail, lastAt, nextAt }: Delivery) {
  return {
    event_id: ids.write(eventId),
    state,
    attempts,
    last_status: status,
    last_error: detail,
    last_attempt_at: isoTime(lastAt),
    next_attempt_at: maybeTime(nextAt),
  };
}

export interface UrlRules {
  /** Any http or https address, also in our own network. */
  allowsPrivate: boolean;
}

/** Names that exist only inside a network. */
const INTERNAL_NAME = /(^|\.)(localhost|local|internal|localdomain|home\.arpa)\.?$/i;

/** Why a URL is refused; undefined if it is not. Names are resolved and checked with each delivery. */
export function refuseUrl(text: string, { allowsPrivate }: UrlRules): string | undefined {
  const kinds = allowsPrivate ? 'an http or https' : 'an https';
  if (text.length > MAX_URL_CHARS) return `url must have at most ${MAX_URL_CHARS} characters.`;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return `url must be ${kinds} URL.`;
  const url = new URL(text);
  if (url.protocol !== 'https:' && !allowsPrivate) return `url must be ${kinds} URL.`;
  if (url.username !== '' || url.password !== '') return 'url must have no user name and no password.';
  if (url.hash !== '') return 'url must have no fragment.';
  if (!allowsPrivate && isInternal(bareHost(url))) return 'url must name a host on the public internet.';
  return undefined;
}

function isInternal(host: string): boolean {
  const address = parseAddress(host);
  if (address) return !isPublicAddress(address);
  return !host.replace(/\.$/, '').includes('.') || INTERNAL_NAME.test(host);
}
