// /api/keys: an account's keys, for its managing keys; for a delegating key, the keys below it.

import { z } from 'zod';
import { spendingMembers } from '../../accounts/keys/key-spending.ts';
import {
  addKey,
  editKey,
  listKeys,
  removeKey,
  requesterOf,
  rotateKey,
  rotation,
} from '../../accounts/keys/manage-keys.ts';
import { keyMembers, keyText } from '../../accounts/keys/public-key.ts';
import { keyBodyOf, keyFields, newKeyFields } from '../../accounts/keys/read-key-fields.ts';
import { idOf, isList, named } from '../../kit/shapes.ts';
import { accountCall } from '../operation.ts';

const MAX_BYTES = 64 * 1024;

const key = named('Key', { ...keyMembers, ...spendingMembers });
const newKey = named('NewKey', { api_key: keyText, ...keyMembers });
const params = { id: idOf('key').describe('The id of a key.') };

const OF_ONE = { auth: 'delegate', maxBytes: MAX_BYTES, params } as const;

export const KEY_CALLS = [
  accountCall('GET /api/keys', {
    id: 'listKeys',
    summary: 'The keys of the account that were not deleted, expired ones too; parents before their children',
    auth: 'delegate',
    result: 'The keys.',
    answer: named('KeyList', { object: isList, data: z.array(key) }),
    run: (tools, { key: asker }) => listKeys(tools, requesterOf(asker)),
  }),
  accountCall('POST /api/keys', {
    id: 'createKey',
    summary: 'Make a key; a delegating key makes a child of itself',
    auth: 'delegate',
    maxBytes: MAX_BYTES,
    outline: newKeyFields,
    isBodyOptional: true,
    example: { name: 'reports', budgets: { day_ntd: 0.5, total_ntd: 5 }, rates: { requests_per_minute: 60 } },
    // A delegating key must not get the text of a key that another one made.
    once: ({ accountId, keyId, manage }) => (manage ? `keys:${accountId}` : `keys:${accountId}:${keyId}`),
    status: 201,
    result: 'The key, shown once.',
    answer: newKey,
    faults: ['not_found', 'rate_limited'],
    run: (tools, { key: asker, document, idempotency }) =>
      addKey(tools, requesterOf(asker), keyBodyOf(document), idempotency),
  }),
  accountCall('PATCH /api/keys/:id', {
    ...OF_ONE,
    id: 'changeKey',
    summary: 'Change the fields that are given',
    outline: keyFields,
    example: { name: 'weekly reports' },
    result: 'The key as it is now.',
    answer: key,
    faults: ['not_found', 'last_key', 'rate_limited'],
    run: (tools, { key: asker, params: { id }, document }) =>
      editKey(tools, requesterOf(asker), id, keyBodyOf(document)),
  }),
  accountCall('DELETE /api/keys/:id', {
    ...OF_ONE,
    id: 'deleteKey',
    summary: 'End a key and every key below it',
    result: 'They are ended, on every node within a second.',
    answer: named('DeletedKey', { id: idOf('key'), deleted: z.literal(true) }),
    faults: ['not_found', 'last_key', 'request_too_large', 'rate_limited'],
    run: (tools, { key: asker, params: { id } }) => removeKey(tools, requesterOf(asker), id),
  }),
  accountCall('POST /api/keys/:id/rotate', {
    id: 'rotateKey',
    summary: 'A new key under the same id',
    auth: 'manage',
    maxBytes: MAX_BYTES,
    params,
    body: rotation,
    isBodyOptional: true,
    example: { grace_seconds: 3600 },
    once: ({ accountId }, { id }) => `rotate:${accountId}:${id}`,
    result: 'The new key, shown once.',
    answer: newKey,
    faults: ['not_found', 'rate_limited'],
    run: (tools, { key: asker, params: { id }, body, idempotency }) =>
      rotateKey(tools, requesterOf(asker), id, body, idempotency),
  }),
];
