// Creates, changes, rotates and revokes keys: any key of the account for a managing key or a session of one, the keys below
// itself for a delegating key. The store checks that permission in the same operation. A new key is shown once.

import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { type Fault, fault } from '../../faults/fault.ts';
import { assert } from '../../kit/assert.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Idempotency } from '../../kit/idempotency.ts';
import type { NewId } from '../../kit/ids.ts';
import type { Random } from '../../kit/random.ts';
import type { CountKeyChange } from '../../limits/guards.ts';
import type { Actor } from '../../store/book/actors.ts';
import { isDelegating } from '../../store/key-chain.ts';
import type { CreateKeyResult, KeyResult, RotateKeyResult } from '../../store/operations.ts';
import type { KeyDetails, KeyRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { type NewSecret, newSecret, replayOf } from '../replays.ts';
import { SessionEnded } from '../sign-in/sessions.ts';
import type { Authenticator, PresentedKey } from './authenticator.ts';
import { childFault, exceedsAncestor, impliedParent, tooManyKeys, tooManyToday } from './child-faults.ts';
import { keyFromSecret, lastFour } from './key-format.ts';
import { publicSpending, readSpending } from './key-spending.ts';
import { subtreeOf, treeOrder } from './key-tree.ts';
import { limitColumns, newLimits } from './limit-fields.ts';
import { newKeyRow } from './new-key-row.ts';
import { publicKey } from './public-key.ts';
import { checkManage, type KeyBody, readKeyFields, restrictedManager } from './read-key-fields.ts';

export interface KeyTools {
  store: Store;
  clock: Clock;
  random: Random;
  newId: NewId;
  authenticator: Authenticator;
  catalog(): Catalog;
  countKeyChange: CountKeyChange;
}

/** The actor of the change and its account. */
export interface Requester {
  accountId: string;
  by: Actor;
  /** A delegating key: only the keys below it exist for it. */
  delegateId?: string | undefined;
}

const NEITHER =
  'This key can neither manage nor delegate. Use a managing key, or one with delegate for the keys below it.';
const OWN_KEY = 'A key cannot change or delete itself. Use its parent, or a key that manages.';
const REPLAYED_KEY_GONE =
  'The key that this Idempotency-Key stands for was deleted. Send the call with another Idempotency-Key.';
const MAX_GRACE_S = 86_400;
const GRACE = `grace_seconds must be a whole number from 0 to ${MAX_GRACE_S}.`;

/** Unknown fields are refused: a misspelt grace period would end the old key at once. */
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

export function requireDelegate(key: PresentedKey): void {
  if (!key.manage && !isDelegating(key, key.ancestors)) throw fault('key_not_permitted', { message: NEITHER });
}

export function requesterOf({ accountId, keyId, presentedHash, manage }: PresentedKey): Requester {
  return { accountId, by: { keyId, keyHash: presentedHash }, delegateId: manage ? undefined : keyId };
}

/** A delegating key sees itself and the keys below it. */
export async function listKeys(tools: KeyTools, { accountId, delegateId }: Requester) {
  const all = await tools.store.read.unrevokedKeysOf(accountId);
  const keys = delegateId === undefined ? treeOrder(all) : subtreeOf(all, delegateId);
  const spendingOf = await readSpending(tools, keys);
  return {
    object: 'list' as const,
    data: keys.map((key) => ({ ...publicKey(key), ...publicSpending(spendingOf(key)) })),
  };
}

export async function addKey(
  tools: KeyTools,
  { accountId, by, delegateId }: Requester,
  body: KeyBody,
  idempotency: Idempotency | undefined,
) {
  const at = tools.clock.now();
  const { fields, limits, parentId: given, refusal } = readKeyFields(body, tools.catalog(), at, { isNew: true });
  if (refusal && !idempotency) throw refusal;
  if (delegateId !== undefined && given !== null && given !== delegateId) throw impliedParent();
  const parentId = delegateId ?? given;
  tools.countKeyChange(accountId, delegateId !== undefined);
  const secret = newSecret(keyFromSecret, tools.random, idempotency);
  const key = newKeyRow(
    {
      keyId: tools.newId('key'),
      accountId,
      hash: tools.authenticator.hash(secret.text),
      last4: lastFour(secret.text),
      manage: fields.manage ?? false,
      createdAt: at,
    },
    { ...fields, ...newLimits(limits), parentId },
  );
  checkManage(key);
  const replay = replayOf(idempotency);
  const onlyReplay = refusal !== undefined;
  const result = await tools.store.commit('createKey', { key, by, at, replay, onlyReplay });
  if (!result.ok) {
    throw (result.reason === 'no_replay' && refusal) || (await refusedChange(tools, accountId, result, by));
  }
  return shownOnce(result, secret);
}

export async function editKey(tools: KeyTools, requester: Requester, keyId: string, body: KeyBody) {
  const { accountId, by, delegateId } = requester;
  tools.countKeyChange(accountId, delegateId !== undefined);
  const at = tools.clock.now();
  const standing = await findKey(tools, requester, keyId);
  const { fields, limits, refusal } = readKeyFields(body, tools.catalog(), at, { standing });
  if (refusal) throw refusal;
  if (!standing) throw fault('not_found');
  const changes = { ...fields, ...limitColumns(limits) };
  checkManage({ ...standing, ...fields, ...newLimits(limits, standing) });
  const result = await tools.store.commit('changeKey', { accountId, keyId, changes, by, at });
  const { key } = await done(tools, accountId, result, by);
  const spendingOf = await readSpending(tools, [key]);
  return { ...publicKey(key), ...publicSpending(spendingOf(key)) };
}

/** Undefined for a key that the requester cannot see. */
async function findKey({ store }: KeyTools, { accountId, delegateId }: Requester, keyId: string) {
  const keys = await store.read.unrevokedKeysOf(accountId);
  // A key that could change itself would have no limits.
  if (keyId === delegateId) throw fault('key_not_permitted', { message: OWN_KEY });
  const visible = delegateId === undefined ? keys : subtreeOf(keys, delegateId);
  return visible.find((key) => key.keyId === keyId);
}

export async function rotateKey(
  tools: KeyTools,
  { accountId, by, delegateId }: Requester,
  keyId: string,
  { grace_seconds: grace }: z.output<typeof rotation>,
  idempotency: Idempotency | undefined,
) {
  tools.countKeyChange(accountId, delegateId !== undefined);
  const at = tools.clock.now();
  const secret = newSecret(keyFromSecret, tools.random, idempotency);
  const result = await tools.store.commit('rotateKey', {
    accountId,
    keyId,
    hash: tools.authenticator.hash(secret.text),
    last4: lastFour(secret.text),
    graceUntil: at + (grace ?? 0) * 1000,
    by,
    at,
    replay: replayOf(idempotency),
  });
  return shownOnce(await done(tools, accountId, result, by), secret);
}

/** With every key below it. */
export async function removeKey(tools: KeyTools, requester: Requester, keyId: string) {
  const { accountId, by, delegateId } = requester;
  tools.countKeyChange(accountId, delegateId !== undefined);
  if (!(await findKey(tools, requester, keyId))) throw fault('not_found');
  const result = await tools.store.commit('revokeKey', { accountId, keyId, by, at: tools.clock.now() });
  await done(tools, accountId, result, by);
  return { id: keyId, deleted: true as const };
}

async function done<Result extends KeyResult | RotateKeyResult>(
  tools: KeyTools,
  accountId: string,
  result: Result,
  by: Actor,
): Promise<Extract<Result, { ok: true }>> {
  if (!result.ok) throw await refusedChange(tools, accountId, result, by);
  tools.authenticator.forget();
  return result as Extract<Result, { ok: true }>;
}

type Refusal = Extract<CreateKeyResult | KeyResult | RotateKeyResult, { ok: false }>;

async function refusedChange(
  { store, clock }: KeyTools,
  accountId: string,
  refused: Refusal,
  by: Actor,
): Promise<Fault | SessionEnded> {
  switch (refused.reason) {
    case 'actor_gone':
      return 'session' in by ? new SessionEnded() : fault('invalid_api_key');
    case 'actor_not_permitted':
      return fault('key_not_permitted');
    case 'restricted':
      return restrictedManager();
    case 'too_many_keys':
      return tooManyKeys(refused);
    case 'too_many_keys_today':
      return tooManyToday(refused, clock.now());
    case 'replayed_key_gone':
      return fault('not_found', { message: REPLAYED_KEY_GONE });
    case 'exceeds_ancestor': {
      const ancestor = await store.read.keyById(refused.keyId);
      assert(ancestor?.accountId === accountId, 'an ancestor is a key of the same account');
      return exceedsAncestor(refused.field, ancestor);
    }
    case 'parent_gone':
    case 'parent_not_delegating':
    case 'too_deep':
    case 'child_needs_budget':
      return childFault(refused.reason);
    default:
      assert(refused.reason !== 'no_replay', 'a permitted key needs no replay');
      return fault(refused.reason);
  }
}

/** A new key with its text, which is shown only here and in a replay. */
function shownOnce({ key, replayedSalt }: { key: KeyDetails; replayedSalt?: string }, secret: NewSecret) {
  return secret.answer(replayedSalt, (shown) => ({ api_key: shown, ...publicKey(key) }));
}
