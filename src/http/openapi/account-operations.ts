// The calls on accounts and keys, and those that are open to everyone.

import { type Answer, idParameter, json, KEYED, type Operation, OURS, parameter, WITH_BODY } from './operation.ts';
import { FLAG, idOf, objectOf, oneWord, refTo, type Schema, TEXT } from './schema.ts';

const REPEAT = parameter(
  'header',
  'Idempotency-Key',
  'The same one with the same body, within 24 hours, gives the same result, whatever changed since; nothing happens twice.',
  { ...TEXT, minLength: 1, maxLength: 255 },
);
const KEY_ID = idParameter('The id of a key.', idOf('key'));
const MANAGED = ['key_not_permitted', ...KEYED] as const;

function ok(description: string, name: string, headers: readonly string[] = []): Answer {
  return { description, content: json(refTo(name)), headers: ['x-request-id', ...headers] };
}

function filter(name: string, description: string, schema: Schema = TEXT): Schema {
  return parameter('query', name, description, schema);
}

const OPEN_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/agent/register',
    id: 'register',
    tag: 'account',
    summary: 'Get an account and a key with NT$1 of trial credit',
    description: 'No human and no form is needed. The body may be empty; what is in it is ignored.',
    isOpen: true,
    parameters: [{ ...REPEAT, schema: { ...TEXT, minLength: 20, maxLength: 255 } }],
    body: { schema: { type: 'object' }, isOptional: true, example: {} },
    answers: { 201: ok('The account, its key, and calls that run when pasted.', 'Registration', ['idempotency-hit']) },
    faults: [
      ...WITH_BODY,
      'cross_site_refused',
      'idempotency_key_reused',
      'registration_ip_limit',
      'registration_site_limit',
      'rate_limited',
      ...OURS,
    ],
  },
  {
    method: 'get',
    path: '/api/public/catalog',
    id: 'showCatalog',
    tag: 'public',
    summary: 'Models, where each is reached, and prices',
    isOpen: true,
    parameters: [parameter('header', 'If-None-Match', 'The ETag of an earlier answer.', TEXT)],
    answers: {
      200: ok('The catalog.', 'Catalog', ['etag']),
      304: { description: 'It has not changed.', headers: ['etag', 'x-request-id'] },
    },
    faults: ['internal_error'],
  },
  {
    method: 'get',
    path: '/api/public/status',
    id: 'showStatus',
    tag: 'public',
    summary: 'Health of models and channels, from real traffic',
    isOpen: true,
    parameters: [
      filter('days', 'Also the state of each of the last days in Taipei.', {
        type: 'integer',
        minimum: 0,
        maximum: 90,
        default: 0,
      }),
    ],
    answers: { 200: ok('The status.', 'Status') },
    faults: ['invalid_request', 'internal_error'],
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'showOpenapi',
    tag: 'public',
    summary: 'This document',
    isOpen: true,
    parameters: [parameter('header', 'If-None-Match', 'The ETag of an earlier answer.', TEXT)],
    answers: {
      200: {
        description: 'OpenAPI 3.1.',
        content: json({ type: 'object' }),
        headers: ['etag', 'x-request-id'],
      },
      304: { description: 'It has not changed.', headers: ['etag', 'x-request-id'] },
    },
    faults: ['internal_error'],
  },
  {
    method: 'get',
    path: '/healthz',
    id: 'showHealth',
    tag: 'operation',
    summary: 'Whether the process answers',
    isOpen: true,
    answers: { 200: { description: 'It does.', content: json(objectOf({ status: { const: 'ok' } })) } },
    faults: [],
  },
  {
    method: 'get',
    path: '/readyz',
    id: 'showReadiness',
    tag: 'operation',
    summary: 'Whether it takes work',
    isOpen: true,
    answers: {
      200: { description: 'It does.', content: json(objectOf({ ready: FLAG })) },
      503: { description: 'It drains, or has lost its store.', content: json(objectOf({ ready: FLAG })) },
    },
    faults: [],
  },
];

export const ACCOUNT_OPERATIONS: readonly Operation[] = [
  ...OPEN_OPERATIONS,
  {
    method: 'get',
    path: '/api/me',
    id: 'showAccount',
    tag: 'account',
    summary: 'Balance, the key that asks, and the free requests left',
    answers: { 200: ok('The account.', 'Account') },
    faults: KEYED,
  },
  {
    method: 'get',
    path: '/api/usage',
    id: 'listUsage',
    tag: 'account',
    summary: 'Every admitted request, newest first',
    parameters: [
      filter('from', 'A date (midnight in Taipei), an ISO 8601 time with its zone, or milliseconds (13 digits).'),
      filter('to', 'The same; itself left out.'),
      filter('model', 'Exactly this model; an alias finds the model it means, too.'),
      filter('channel', 'Exactly this channel.'),
      filter('key_id', 'Exactly this key.'),
      filter('status', 'Exactly this status.'),
      filter('limit', 'Records in a page; more than 200 are not given.', { type: 'integer', minimum: 1, default: 50 }),
      filter('cursor', 'next_cursor of the page before.'),
      filter(
        'format',
        'json if not said; csv: up to 100,000 records as UTF-8 with a byte-order mark.',
        oneWord('csv', 'json'),
      ),
    ],
    answers: {
      200: {
        description: 'A page of records, or all of them as CSV.',
        content: { ...json(refTo('UsagePage')), 'text/csv': TEXT },
        headers: ['x-request-id'],
      },
    },
    faults: ['invalid_request', ...KEYED],
  },
  {
    method: 'get',
    path: '/api/receipts/{id}',
    id: 'showReceipt',
    tag: 'account',
    summary: 'How the cost of one request came about, and every attempt',
    parameters: [idParameter('The id of a request, as in x-request-id.', idOf('req'))],
    answers: { 200: ok('The receipt.', 'Receipt') },
    faults: ['not_found', ...KEYED],
  },
  {
    method: 'post',
    path: '/api/redeem',
    id: 'redeem',
    tag: 'account',
    summary: 'Add balance from a prepaid card',
    parameters: [REPEAT],
    body: { schema: refTo('Card') },
    answers: { 200: ok('The balance has it, on disk.', 'Redeemed', ['idempotency-hit']) },
    faults: [
      ...WITH_BODY,
      'card_code_malformed',
      'card_not_redeemable',
      'redeem_rate_limited',
      'idempotency_key_reused',
      ...KEYED,
    ],
  },
  {
    method: 'get',
    path: '/api/keys',
    id: 'listKeys',
    tag: 'account',
    summary: 'The keys of the account that were not deleted, expired ones too',
    answers: { 200: ok('The keys.', 'KeyList') },
    faults: MANAGED,
  },
  {
    method: 'post',
    path: '/api/keys',
    id: 'createKey',
    tag: 'account',
    summary: 'Make a key',
    parameters: [REPEAT],
    body: { schema: refTo('KeyFields'), isOptional: true, example: { name: 'reports', daily_budget_ntd: 0.5 } },
    answers: { 201: ok('The key, shown once.', 'NewKey', ['idempotency-hit']) },
    faults: [...WITH_BODY, 'idempotency_key_reused', ...MANAGED],
  },
  {
    method: 'patch',
    path: '/api/keys/{id}',
    id: 'changeKey',
    tag: 'account',
    summary: 'Change the fields that are given',
    parameters: [KEY_ID],
    body: { schema: refTo('KeyFields') },
    answers: { 200: ok('The key as it is now.', 'Key') },
    faults: [...WITH_BODY, 'not_found', 'last_key', ...MANAGED],
  },
  {
    method: 'delete',
    path: '/api/keys/{id}',
    id: 'deleteKey',
    tag: 'account',
    summary: 'End a key',
    parameters: [KEY_ID],
    answers: { 200: ok('It is ended, on every node within a second.', 'DeletedKey') },
    faults: ['not_found', 'last_key', 'request_too_large', ...MANAGED],
  },
  {
    method: 'post',
    path: '/api/keys/{id}/rotate',
    id: 'rotateKey',
    tag: 'account',
    summary: 'A new key under the same id',
    parameters: [KEY_ID, REPEAT],
    body: { schema: refTo('Rotation'), isOptional: true },
    answers: { 200: ok('The new key, shown once.', 'NewKey', ['idempotency-hit']) },
    faults: [...WITH_BODY, 'not_found', 'idempotency_key_reused', ...MANAGED],
  },
];
