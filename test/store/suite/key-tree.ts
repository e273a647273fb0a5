// Keys below keys for tests, and calls of them with the chain that the relay gives them.

import { chainOf } from '../../../src/relay/admit-input.ts';
import { ancestorsOf } from '../../../src/store/key-chain.ts';
import type { AdmitInput } from '../../../src/store/operations.ts';
import type { KeyRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { free, paid, sampleKey, T0 } from './samples.ts';

/** A key of the account that makes keys below itself; under a parent it has a budget that never matters. */
export async function addKey(
  store: Store,
  accountId: string,
  fields: Partial<KeyRow> = {},
  parentId: string | null = null,
): Promise<KeyRow> {
  const budget = parentId === null ? {} : await ampleBudget(store, accountId, parentId);
  const key = sampleKey(accountId, { manage: false, delegate: true, parentId, ...budget, ...fields });
  const result = await store.commit('createKey', { key, at: T0 });
  if (!result.ok) throw new Error(result.reason);
  return { ...key, depth: result.key.depth };
}

/** Of a kind that no ancestor has less of. */
async function ampleBudget(store: Store, accountId: string, parentId: string): Promise<Partial<KeyRow>> {
  const above = ancestorsOf(await store.read.keysOf(accountId), { parentId });
  return above.some(({ limits: { totalBudget = AMPLE } }) => totalBudget < AMPLE)
    ? { dailyBudget: AMPLE }
    : { limits: { totalBudget: AMPLE } };
}

export const AMPLE = 1_000_000_000_000n;

type PaidFields = NonNullable<Parameters<typeof paid>[1]>;

/** As the relay asks for it, by the rows as they are now. */
export async function paidBy(
  store: Store,
  { accountId, keyId }: KeyRow,
  { session = '', ...fields }: PaidFields & { session?: string } = {},
): Promise<AdmitInput> {
  const input = paid({ accountId, keyId }, { tokens: TOKENS, ...fields });
  return { ...input, chain: await chainNow(store, accountId, keyId, false, session) };
}

export async function freeBy(store: Store, { accountId, keyId }: KeyRow): Promise<AdmitInput> {
  const input = free({ accountId, keyId }, { tokens: TOKENS });
  return { ...input, chain: await chainNow(store, accountId, keyId, true, '') };
}

const TOKENS = { input: 50, perOutput: 1, wanted: 100, least: 16 };

async function chainNow(store: Store, accountId: string, keyId: string, isFree: boolean, session: string) {
  const keys = await store.read.keysOf(accountId);
  const key = keys.find((one) => one.keyId === keyId);
  if (!key) throw new Error('the key exists');
  return chainOf({ ...key, ancestors: ancestorsOf(keys, key) }, isFree, () => session);
}
