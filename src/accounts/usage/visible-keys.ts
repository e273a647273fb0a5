// Decides which keys' usage a caller sees. A key with a parent sees its own subtree only, because it may be in other hands than the
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

/** Throws `not_found` for a key that the viewer does not see; deleted keys are seen. */
export async function requireVisible(store: Store, viewer: Viewer, keyId: string | undefined): Promise<void> {
  if (keyId === undefined) return;
  const seen = await readVisibleKeys(store, viewer);
  if (!seen.some((key) => key.keyId === keyId)) throw fault('not_found', { param: 'subtree' });
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
