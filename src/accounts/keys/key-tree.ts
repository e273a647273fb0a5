// The keys of an account as a tree: a key with a parent is a child of the key that made it.

import type { KeyRow } from '../../store/rows.ts';

type Node = Pick<KeyRow, 'keyId' | 'parentId'>;

/** Parents before their children, otherwise in the given order. A key whose parent is not among them is a root. */
export function treeOrder<Key extends Node>(keys: readonly Key[]): Key[] {
  const known = new Set(keys.map(({ keyId }) => keyId));
  const children = Map.groupBy(keys, ({ parentId }) => (parentId !== null && known.has(parentId) ? parentId : null));
  const below = (parentId: string | null): Key[] =>
    (children.get(parentId) ?? []).flatMap((key) => [key, ...below(key.keyId)]);
  return below(null);
}

/** A key and every key below it, in tree order; empty if the key is not among them. */
export function subtreeOf<Key extends Node>(keys: readonly Key[], rootId: string): Key[] {
  const found = new Set<string>();
  return treeOrder(keys).filter(({ keyId, parentId }) => {
    const isInside = keyId === rootId || (parentId !== null && found.has(parentId));
    if (isInside) found.add(keyId);
    return isInside;
  });
}
