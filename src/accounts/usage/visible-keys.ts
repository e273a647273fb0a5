// Whose usage a caller sees. A key with a parent sees its own subtree only, because it may be in other hands than the
// account; every other key sees the whole account. Deleted keys count.

import { fault } from '../../faults/fault.ts';
import type { KeyRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { subtreeOf, treeOrder } from '../keys/key-tree.ts';

export interface Viewer {
  accountId: string;
  /** The key whose subtree is all that is seen; null: the whole account. */
  rootId: string | null;
}

export function viewerOf({ accountId, keyId, parentId }: Pick<KeyRow, 'accountId' | 'keyId' | 'parentId'>): Viewer {
  return { accountId, rootId: parentId === null ? null : keyId };
}

/** In tree order. */
export async function readVisibleKeys({ read }: Store, { accountId, rootId }: Viewer, subtree?: string) {
  const keys = await read.keysOf(accountId);
  const seen = rootId === null ? treeOrder(keys) : subtreeOf(keys, rootId);
  return subtree === undefined ? seen : subtreeOf(seen, subtree);
}

/** Throws `not_found` for the id of a key that the viewer does not see; deleted keys are seen. */
export async function requireVisible(
  store: Store,
  viewer: Viewer,
  named: Partial<Record<'key_id' | 'subtree', string | undefined>>,
): Promise<void> {
  if (named.key_id === undefined && named.subtree === undefined) return;
  const seen = new Set((await readVisibleKeys(store, viewer)).map(({ keyId }) => keyId));
  for (const param of ['key_id', 'subtree'] as const) {
    const id = named[param];
    if (id !== undefined && !seen.has(id)) throw fault('not_found', { param });
  }
}

/** For a query; undefined: no key is left out. */
export async function visibleKeyIds(
  store: Store,
  viewer: Viewer,
  subtree?: string,
): Promise<readonly string[] | undefined> {
  if (viewer.rootId === null && subtree === undefined) return undefined;
  return (await readVisibleKeys(store, viewer, subtree)).map(({ keyId }) => keyId);
}
