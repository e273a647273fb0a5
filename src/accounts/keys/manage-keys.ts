// Creates, changes, rotates and revokes keys, for a managing key of the same account or a session of such a key. The
// store checks that permission in the same operation. A new key is shown once.

import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { type Fault, fault } from '../../faults/fault.ts';
import { assert } from '../../kit/assert.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Idempotency } from '../../kit/idempotency.ts';
import type { NewId } from '../../kit/ids.ts';
import type { Random } from '../../kit/random.ts';
import type { Actor } from '../../store/book/actors.ts';
import type { KeyResult, RotateKeyResult } from '../../store/operations.ts';
import type { KeyRow, KeyDetails } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { keyTextOf, newKeyText, type Replayable, replayOf } from '../replays.ts';
import { SessionEnded } from '../sign-in/sessions.ts';
import type { Authenticator, PresentedKey } from './authenticator.ts';
import { lastFour } from './key-format.ts';
import { newKeyRow } from './new-key-row.ts';
import { type PublicKey, publicKey } from './public-key.ts';
import { checkManage, type KeyBody, readKeyFields, restrictedManager } from './read-key-fields.ts';

export interface KeyTools {
  store: Store;
  clock: Clock;
  random: Random;
  newId: NewId;
  authenticator: Authenticator;
  catalog(): Catalog;
}

/** Who makes the change, and in which account. */
export interface Requester {
  accountId: string;
  by: Actor;
}

/** A new key with its text, which is shown only here and in a replay. */
type ShownKey = Replayable<{ api_key: string } & PublicKey>;

const MAX_GRACE_S = 86_400;
const GRACE = `grace_seconds must be a whole number from 0 to ${MAX_GRACE_S}.`;

/** Misspelt, a grace would be none, and the old key dead at once. */
export const rotation = z
  .strictObject({
    grace_seconds: z
      .int(GRACE)
      .min(0, GRACE)
      .max(MAX_GRACE_S, GRACE)
      .nullish()
      .describe('How long the old key still works.'),
  })
  .meta({ id: 'Rotation' });

export function requireManage(key: KeyRow): void {
  if (!key.manage) throw fault('key_not_permitted');
}

export function requesterOf({ accountId, keyId, presentedHash }: PresentedKey): Requester {
  return { accountId, by: { keyId, keyHash: presentedHash } };
}

export async function listKeys({ store }: KeyTools, accountId: string) {
  const keys = await store.read.keysOf(accountId);
  return { object: 'list' as const, data: keys.filter((key) => key.revokedAt === null).map(publicKey) };
}

export async function addKey(
  tools: KeyTools,
  { accountId, by }: Requester,
  body: KeyBody,
  idempotency: Idempotency | undefined,
): Promise<ShownKey> {
  const at = tools.clock.now();
  const { fields, refusal } = readKeyFields(body, tools.catalog(), at);
  if (refusal && !idempotency) throw refusal;
  const apiKey = newKeyText(tools.random, idempotency);
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
  const replay = replayOf(idempotency);
  const onlyReplay = refusal !== undefined;
  const result = await tools.store.commit('createKey', { key, by, at, replay, onlyReplay });
  if (!result.ok) {
    if (result.reason !== 'no_replay') throw refusedChange(result.reason, by);
    assert(refusal, 'a permitted key has no replay');
    throw refusal;
  }
  return shownOnce(result, apiKey, idempotency);
}

export async function editKey(tools: KeyTools, { accountId, by }: Requester, keyId: string, body: KeyBody) {
  const at = tools.clock.now();
  const known = (await tools.store.read.keysOf(accountId)).find((key) => key.keyId === keyId && key.revokedAt === null);
  const { fields: changes, refusal } = readKeyFields(body, tools.catalog(), at, known);
  if (refusal) throw refusal;
  if (!known) throw fault('not_found');
  checkManage({ ...known, ...changes });
  const result = await tools.store.commit('changeKey', { accountId, keyId, changes, by, at });
  return publicKey(done(tools, result, by).key);
}

export async function rotateKey(
  tools: KeyTools,
  { accountId, by }: Requester,
  keyId: string,
  { grace_seconds: grace }: z.output<typeof rotation>,
  idempotency: Idempotency | undefined,
): Promise<ShownKey> {
  const at = tools.clock.now();
  const apiKey = newKeyText(tools.random, idempotency);
  const result = await tools.store.commit('rotateKey', {
    accountId,
    keyId,
    hash: tools.authenticator.hash(apiKey),
    last4: lastFour(apiKey),
    graceUntil: at + (grace ?? 0) * 1000,
    by,
    at,
    replay: replayOf(idempotency),
  });
  return shownOnce(done(tools, result, by), apiKey, idempotency);
}

export async function removeKey(tools: KeyTools, { accountId, by }: Requester, keyId: string) {
  done(tools, await tools.store.commit('revokeKey', { accountId, keyId, by, at: tools.clock.now() }), by);
  return { id: keyId, deleted: true as const };
}

interface Done {
  key: KeyDetails;
  replayedSalt?: string;
}

function done({ authenticator }: KeyTools, result: KeyResult | RotateKeyResult, by: Actor): Done {
  if (!result.ok) throw refusedChange(result.reason, by);
  authenticator.forget();
  return result;
}

type Refusal = Extract<KeyResult | RotateKeyResult, { ok: false }>['reason'];

function refusedChange(reason: Refusal, by: Actor): Fault | SessionEnded {
  switch (reason) {
    case 'actor_gone':
      return 'session' in by ? new SessionEnded() : fault('invalid_api_key');
    case 'actor_not_permitted':
      return fault('key_not_permitted');
    case 'restricted':
      return restrictedManager();
    case 'too_many_keys':
      return fault('invalid_request', {
        message: 'This account has reached its maximum number of keys. Delete one first.',
      });
    default:
      return fault(reason);
  }
}

function shownOnce({ key, replayedSalt }: Done, apiKey: string, idempotency: Idempotency | undefined): ShownKey {
  const given = keyTextOf(apiKey, idempotency, replayedSalt);
  return { answer: { api_key: given, ...publicKey(key) }, isReplay: replayedSalt !== undefined };
}
