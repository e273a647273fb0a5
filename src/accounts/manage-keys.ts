// An account's keys: made, changed, rotated and revoked by a managing key of the same account. A new key is shown once.

import type { Catalog } from '../catalog/catalog.ts';
import { fault } from '../faults/fault.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import { createKey, keyFromSecret, lastFour } from '../keys/key-format.ts';
import { newKeyRow } from '../keys/new-key-row.ts';
import { assert } from '../kit/assert.ts';
import type { Clock } from '../kit/clock.ts';
import type { Idempotency } from '../kit/idempotency.ts';
import type { NewId } from '../kit/ids.ts';
import type { JsonObject } from '../kit/json.ts';
import type { Random } from '../kit/random.ts';
import type { KeyResult } from '../store/operations.ts';
import type { KeyRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { publicKey } from './public-key.ts';
import { checkManage, readKeyFields, restrictedManager } from './read-key-fields.ts';

export interface KeyTools {
  store: Store;
  clock: Clock;
  random: Random;
  newId: NewId;
  authenticator: Authenticator;
  catalog(): Catalog;
}

const MAX_GRACE_S = 86_400;

export function requireManage(key: KeyRow): void {
  if (!key.manage) throw fault('key_not_permitted');
}

export async function listKeys({ store }: KeyTools, accountId: string): Promise<Record<string, unknown>> {
  const keys = await store.read.keysOf(accountId);
  return { object: 'list', data: keys.filter((key) => key.revokedAt === null).map(publicKey) };
}

export async function addKey(
  tools: KeyTools,
  accountId: string,
  body: JsonObject,
  idempotency: Idempotency | undefined,
): Promise<{ answer: Record<string, unknown>; isReplay: boolean }> {
  const at = tools.clock.now();
  const { fields, refusal } = readKeyFields(body, tools.catalog(), at);
  if (refusal && !idempotency) throw refusal;
  const apiKey = idempotency ? keyFromSecret(idempotency.secretFor(idempotency.salt)) : createKey(tools.random);
  const key = newKeyRow(
    {
      keyId: tools.newId('key'),
      accountId,
      hash: tools.authenticator.hash(apiKey),
      last4: lastFour(apiKey),
      manage: fields.manage ?? false,
      createdAt: at,
    },
    fields,
  );
  checkManage(key);
  const replay = idempotency && { id: idempotency.id, bodyHash: idempotency.bodyHash, salt: idempotency.salt };
  const result = await tools.store.commit('createKey', { key, at, replay, onlyReplay: refusal !== undefined });
  if (!result.ok) {
    if (result.reason === 'too_many_keys') {
      throw fault('invalid_request', { message: 'Delete a key first: this account has as many as it may have.' });
    }
    if (result.reason !== 'no_replay') throw fault(result.reason);
    assert(refusal, 'a key that could be had was asked for');
    throw refusal;
  }
  const { replayedSalt } = result;
  const given = idempotency && replayedSalt ? keyFromSecret(idempotency.secretFor(replayedSalt)) : apiKey;
  return { answer: { api_key: given, ...publicKey(result.key) }, isReplay: replayedSalt !== undefined };
}

export async function editKey(tools: KeyTools, accountId: string, keyId: string, body: JsonObject) {
  const at = tools.clock.now();
  const { fields: changes, refusal } = readKeyFields(body, tools.catalog(), at);
  if (refusal) throw refusal;
  const known = (await tools.store.read.keysOf(accountId)).find((key) => key.keyId === keyId && key.revokedAt === null);
  if (!known) throw fault('not_found');
  checkManage({ ...known, ...changes });
  return publicKey(done(tools, await tools.store.commit('changeKey', { accountId, keyId, changes, at })));
}

export async function rotateKey(tools: KeyTools, accountId: string, keyId: string, body: JsonObject) {
  const grace = body.grace_seconds ?? 0;
  if (typeof grace !== 'number' || !Number.isInteger(grace) || grace < 0 || grace > MAX_GRACE_S) {
    throw fault('invalid_request', {
      param: 'grace_seconds',
      message: `Set grace_seconds to a whole number from 0 to ${MAX_GRACE_S}.`,
    });
  }
  const at = tools.clock.now();
  const apiKey = createKey(tools.random);
  const key = done(
    tools,
    await tools.store.commit('rotateKey', {
      accountId,
      keyId,
      hash: tools.authenticator.hash(apiKey),
      last4: lastFour(apiKey),
      graceUntil: at + grace * 1000,
      at,
    }),
  );
  return { api_key: apiKey, ...publicKey(key) };
}

export async function removeKey(tools: KeyTools, accountId: string, keyId: string) {
  done(tools, await tools.store.commit('revokeKey', { accountId, keyId, at: tools.clock.now() }));
  return { id: keyId, deleted: true };
}

function done({ authenticator }: KeyTools, result: KeyResult): KeyRow {
  if (!result.ok) throw result.reason === 'restricted' ? restrictedManager() : fault(result.reason);
  authenticator.forget();
  return result.key;
}
