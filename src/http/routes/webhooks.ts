// /api/webhooks: where an account's events are sent, for its managing keys.

import { requesterOf } from '../../accounts/keys/manage-keys.ts';
import {
  addWebhook,
  editWebhook,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateWebhook,
  showWebhook,
  testWebhook,
} from '../../accounts/webhooks/manage-webhooks.ts';
import {
  deletedWebhook,
  deliveryFilters,
  deliveryList,
  newWebhook,
  noFields,
  replayAsked,
  testResult,
  webhookChanges,
  webhookList,
  webhookShape,
  webhookWithSecret,
} from '../../accounts/webhooks/webhook-shapes.ts';
import { idOf } from '../../kit/shapes.ts';
import { accountCall } from '../operation.ts';

const MAX_BYTES = 16 * 1024;
const params = { id: idOf('whk').describe('The id of a webhook.') };

const OF_ONE = { auth: 'manage', params, faults: ['not_found'] } as const;

export const WEBHOOK_CALLS = [
  accountCall('GET /api/webhooks', {
    id: 'listWebhooks',
    summary: 'The webhooks of the account',
    auth: 'manage',
    result: 'The webhooks.',
    answer: webhookList,
    run: ({ webhooks }, { key }) => listWebhooks(webhooks, key.accountId),
  }),
  accountCall('POST /api/webhooks', {
    id: 'createWebhook',
    summary: 'Send the events of the account to a URL',
    auth: 'manage',
    maxBytes: MAX_BYTES,
    body: newWebhook,
    example: { url: 'https://example.com/hooks', types: ['balance.low', 'key.budget_reached'] },
    once: ({ accountId }) => `webhooks:${accountId}`,
    status: 201,
    result: 'The webhook with its secret, shown once.',
    answer: webhookWithSecret,
    run: ({ webhooks }, { key, body, idempotency }) => addWebhook(webhooks, requesterOf(key), body, idempotency),
  }),
  accountCall('GET /api/webhooks/:id', {
    ...OF_ONE,
    id: 'showWebhook',
    summary: 'One webhook',
    result: 'The webhook.',
    answer: webhookShape,
    run: ({ webhooks }, { key, params: { id } }) => showWebhook(webhooks, key.accountId, id),
  }),
  accountCall('PATCH /api/webhooks/:id', {
    ...OF_ONE,
    id: 'changeWebhook',
    summary: 'Change the fields that are given',
    description:
      'Events of a type that is added are sent from then on. A webhook that is enabled again goes on with the events since it was disabled, as far as they are kept.',
    maxBytes: MAX_BYTES,
    body: webhookChanges,
    example: { enabled: false },
    result: 'The webhook as it is now.',
    answer: webhookShape,
    run: ({ webhooks }, { key, params: { id }, body }) => editWebhook(webhooks, requesterOf(key), id, body),
  }),
  accountCall('DELETE /api/webhooks/:id', {
    ...OF_ONE,
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    result: 'Nothing more is sent to it.',
    answer: deletedWebhook,
    run: ({ webhooks }, { key, params: { id } }) => removeWebhook(webhooks, requesterOf(key), id),
  }),
  accountCall('POST /api/webhooks/:id/rotate', {
    ...OF_ONE,
    id: 'rotateWebhookSecret',
    summary: 'A new secret; for 24 hours messages are signed with the old one, too',
    maxBytes: MAX_BYTES,
    body: noFields,
    isBodyOptional: true,
    example: {},
    once: ({ accountId }, { id }) => `webhook:${accountId}:${id}`,
    result: 'The webhook with its new secret, shown once.',
    answer: webhookWithSecret,
    run: ({ webhooks }, { key, params: { id }, idempotency }) =>
      rotateWebhook(webhooks, requesterOf(key), id, idempotency),
  }),
  accountCall('POST /api/webhooks/:id/test', {
    ...OF_ONE,
    id: 'testWebhook',
    summary: 'Send a test message now',
    maxBytes: MAX_BYTES,
    body: noFields,
    isBodyOptional: true,
    example: {},
    result: 'What the receiver answered.',
    answer: testResult,
    faults: ['not_found', 'rate_limited'],
    run: ({ webhooks }, { key, params: { id } }) => testWebhook(webhooks, key.accountId, id),
  }),
  accountCall('GET /api/webhooks/:id/deliveries', {
    ...OF_ONE,
    id: 'listWebhookDeliveries',
    summary: 'What became of each event, the newest first',
    query: deliveryFilters,
    result: 'A page of deliveries.',
    answer: deliveryList,
    run: ({ webhooks }, { key, params: { id }, query }) => listDeliveries(webhooks, key.accountId, id, query),
  }),
  accountCall('POST /api/webhooks/:id/replay', {
    ...OF_ONE,
    id: 'replayWebhook',
    summary: 'Send the events after one of them again',
    maxBytes: MAX_BYTES,
    body: replayAsked,
    example: { after: null },
    result: 'The webhook; the events follow.',
    answer: webhookShape,
    run: ({ webhooks }, { key, params: { id }, body }) => replayWebhook(webhooks, requesterOf(key), id, body),
  }),
];
