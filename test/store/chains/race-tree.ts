// A tree of 40 keys with a budget at every level, and a thousand calls at once. Of calls that all cost the same, budgets of a
// tree admit a number that does not depend on their order: it is known beforehand, and one less means that something was
// refused that had room.

import type { AdmitInput } from '../../../src/store/operations.ts';
import type { KeyRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { AMPLE, addKey } from '../suite/key-tree.ts';
import { admitting, createAccount, paid, releasing, settling, T0 } from '../suite/samples.ts';

export const CALL = 100n;
const CHILDREN = 3;
const LEVELS = 4;
const CALLS = 1_000;

export interface TreeKey {
  row: KeyRow;
  parent: TreeKey | undefined;
  children: TreeKey[];
  /** How many calls its budget pays for. */
  capacity: number;
}

/** Another kind at each level. */
const FIELDS: readonly ((limit: bigint) => Partial<KeyRow>)[] = [
  (dailyBudget) => ({ dailyBudget }),
  (monthBudget) => ({ dailyBudget: null, limits: { monthBudget } }),
  (totalBudget) => ({ dailyBudget: null, limits: { totalBudget } }),
  (sessionBudget) => ({ dailyBudget: null, limits: { sessionBudget } }),
];

/** The highest key first. */
export async function plantTree(store: Store): Promise<TreeKey[]> {
  const { accountId } = await createAccount(store, AMPLE);
  const keys: TreeKey[] = [];
  const plant = async (level: number, number: number, parent: TreeKey | undefined): Promise<void> => {
    const capacity = Math.max(1, Math.floor((500 * (3 + (number % 4))) / 5 / CHILDREN ** level));
    const fields = FIELDS[level]?.(CALL * BigInt(capacity) + 99n);
    const row = await addKey(store, accountId, fields, parent?.row.keyId ?? null);
    const key: TreeKey = { row, parent, children: [], capacity };
    parent?.children.push(key);
    keys.push(key);
    if (level + 1 === LEVELS) return;
    for (let child = 0; child < CHILDREN; child++) await plant(level + 1, number * CHILDREN + child, key);
  };
  await plant(0, 1, undefined);
  return keys;
}

/** A call of each key in turn. */
export function callsOf(keys: readonly TreeKey[], count = CALLS): AdmitInput[] {
  return Array.from({ length: count }, (_, number) => callOf(keys[(number * 7) % keys.length] as TreeKey));
}

export function callOf(key: TreeKey): AdmitInput {
  const { accountId, keyId } = key.row;
  const above = ancestors(key);
  const sessions = [key, ...above].filter(({ row }) => row.limits.sessionBudget !== undefined);
  return paid(
    { accountId, keyId },
    {
      at: T0,
      chain: {
        ancestors: above.map(({ row }) => row.keyId),
        sessions: sessions.map(({ row }) => `${row.keyId}:`),
        rated: [],
      },
      charge: {
        free: false,
        hold: { base: CALL, unit: 0n, wanted: 1, least: 1 },
        limits: { perMinute: 1e9, inFlight: 1e9 },
      },
    },
  );
}

function ancestors({ parent }: TreeKey): TreeKey[] {
  return parent ? [parent, ...ancestors(parent)] : [];
}

/** How many of these calls the tree admits, whatever their order. */
export function roomFor(key: TreeKey, calls: readonly AdmitInput[]): number {
  const own = calls.filter(({ keyId }) => keyId === key.row.keyId).length;
  const below = key.children.reduce((total, child) => total + roomFor(child, calls), 0);
  return Math.min(key.capacity, own + below);
}

/** Submits them all at once, each to the next store. */
export async function race(stores: readonly Store[], calls: readonly AdmitInput[]): Promise<AdmitInput[]> {
  const results = await Promise.all(
    calls.map((input, number) => admitting(stores[number % stores.length] as Store, input)),
  );
  return calls.filter((_, number) => results[number]?.ok);
}

/** Ends calls in every way at once: settled, released, undone and swept. */
export async function closeAll(stores: readonly Store[], running: readonly AdmitInput[]): Promise<void> {
  await Promise.all(
    running.map((input, number) => {
      const store = stores[number % stores.length] as Store;
      const { requestId, accountId, keyId, chain } = input;
      const ids = { requestId, accountId, keyId, chain, at: T0 };
      if (number % 5 === 0) return store.commit('release', releasing(input, true));
      if (number % 5 === 1) return store.commit('undo', ids);
      if (number % 5 === 2) return store.commit('sweep', ids);
      return store.commit('settle', settling(input, BigInt(number % 101)));
    }),
  );
}

/** The keys whose budget holds and spent more than it has. */
export async function overspent(store: Store, keys: readonly TreeKey[]): Promise<string[]> {
  const pages = await store.read.budgetsOf(keys.map(({ row }) => row.keyId));
  return keys
    .filter(({ row, capacity }) => {
      const page = pages.find(({ keyId }) => keyId === row.keyId);
      return page !== undefined && page.totalSpent + page.held > CALL * BigInt(capacity) + 99n;
    })
    .map(({ row }) => row.keyId);
}
