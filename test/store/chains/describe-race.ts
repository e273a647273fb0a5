// What a tree of keys must keep under load, on whatever stores share its database.

import { expect } from 'bun:test';
import type { AdmitInput } from '../../../src/store/operations.ts';
import type { Store } from '../../../src/store/store.ts';
import { callsOf, closeAll, overspent, plantTree, race, roomFor, type TreeKey } from './race-tree.ts';

export async function checkRace(stores: readonly Store[]): Promise<void> {
  const store = stores[0] as Store;
  const keys = await plantTree(store);
  expect(keys).toHaveLength(40);
  const calls = callsOf(keys);
  const top = keys[0] as TreeKey;
  const room = roomFor(top, calls);
  // A race that everything or nothing passes shows nothing.
  expect(room).toBeGreaterThan(100);
  expect(room).toBeLessThan(calls.length / 2);
  let running = await race(stores, calls);
  expect(running).toHaveLength(room);
  expect(await overspent(store, keys)).toEqual([]);
  expect((await store.read.audit({})).differences).toEqual([]);
  for (let round = 0; round < 3; round++) {
    const more: AdmitInput[] = callsOf(keys, 300);
    const [admitted] = await Promise.all([race(stores, more), closeAll(stores, running)]);
    running = admitted;
    expect(await overspent(store, keys)).toEqual([]);
  }
  await closeAll(stores, running);
  expect((await store.read.audit({})).differences).toEqual([]);
  const pages = await store.read.budgetsOf(keys.map(({ row }) => row.keyId));
  for (const { held, inFlight } of pages) expect({ held, inFlight }).toEqual({ held: 0n, inFlight: 0 });
}

/** After processes with the database were killed: what they left open is given back at every level. */
export async function checkAfterKill(store: Store, keyIds: readonly string[], limits: ReadonlyMap<string, bigint>) {
  expect((await store.read.audit({})).differences).toEqual([]);
  const open = await store.read.orphanedHolds({ deadNodes: ['node_alive'], limit: 10_000 });
  for (const { requestId, accountId, keyId, chain } of open) {
    await store.commit('sweep', { requestId, accountId, keyId, chain, at: Date.now() });
  }
  expect((await store.read.audit({})).differences).toEqual([]);
  const pages = await store.read.budgetsOf(keyIds);
  for (const { keyId, held, inFlight, totalSpent } of pages) {
    expect({ held, inFlight }).toEqual({ held: 0n, inFlight: 0 });
    expect(totalSpent).toBeLessThanOrEqual(limits.get(keyId) ?? 0n);
  }
  expect(pages.some(({ totalSpent }) => totalSpent > 0n)).toBe(true);
}
