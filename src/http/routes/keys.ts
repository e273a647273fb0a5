// /api/keys: an account's keys, for its managing keys.

import { z } from 'zod';
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
import { keyBodyOf, keyFields } from '../../accounts/keys/read-key-fields.ts';
import { idOf, isList, named } from '../../kit/shapes.ts';
import { accountCall } from '../operation.ts';

const MAX_BYTES = 64 * 1024;

const key = named('Key', keyMembers);
const newKey = named('NewKey', { api_key: keyText, ...keyMembers });
const params = { id: idOf('key').describe('The id of a key.') };

export const KEY_CALLS = [
  accountCall('GET /api/keys', {
    id: 'listKeys',
    summary: 'The keys of the account that were not deleted, expired ones too',
    auth: 'manage',
    result: 'The keys.',
    answer: named('KeyList', { object: isList, data: z.array(key) }),
    run: (tools, { key: { accountId } }) => listKeys(tools, accountId),
  }),
  accountCall('POST /api/keys', {
    id: 'createKey',
    summary: 'Make a key',
    auth: 'manage',
    maxBytes: MAX_BYTES,
    outline: keyFields,
    isBodyOptional: true,
    example: { name: 'reports', daily_budget_ntd: 0.5 },
    once: ({ accountId }) => `keys:${accountId}`,
    status: 201,
    result: 'The key, shown once.',
    answer: newKey,
    run: (tools, { key: asker, document, idempotency }) =>
      addKey(tools, requesterOf(asker), keyBodyOf(document), idempotency),
  }),
  accountCall('PATCH /api/keys/:id', {
    id: 'changeKey',
    summary: 'Change the fields that are given',
    auth: 'manage',
    maxBytes: MAX_BYTES,
    params,
    outline: keyFields,
    result: 'The key as it is now.',
    answer: key,
    faults: ['not_found', 'last_key'],
    run: (tools, { key: asker, params: { id }, document }) =>
      editKey(tools, requesterOf(asker), id, keyBodyOf(document)),
  }),
  accountCall('DELETE /api/keys/:id', {
    id: 'deleteKey',
    summary: 'End a key',
    auth: 'manage',
    maxBytes: MAX_BYTES,
    params,
    result: 'It is ended, on every node within a second.',
    answer: named('DeletedKey', { id: idOf('key'), deleted: z.literal(true) }),
    faults: ['not_found', 'last_key', 'request_too_large'],
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
    once: ({ accountId }, { id }) => `rotate:${accountId}:${id}`,
    result: 'The new key, shown once.',
    answer: newKey,
    faults: ['not_found'],
    run: (tools, { key: asker, params: { id }, body, idempotency }) =>
      rotateKey(tools, requesterOf(asker), id, body, idempotency),
  }),
];
