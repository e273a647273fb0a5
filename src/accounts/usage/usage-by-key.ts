// Usage of each key: its own, and the sum with every key below it.

import type { z } from 'zod';
import { csvHead, csvRows } from '../../kit/csv.ts';
import { count, idOf, named, text } from '../../kit/shapes.ts';
import type { UsageQuery, UsageTotals } from '../../store/reads.ts';
import { addBuckets, type KeyRow, NO_BUCKETS } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { publicTotals, usageTotals } from './public-usage.ts';

export const keyUsage = named('KeyUsage', {
  key_id: idOf('key'),
  name: text.nullable(),
  parent_id: idOf('key').nullable(),
  depth: count,
  own: usageTotals.describe('Requests of this key.'),
  subtree: usageTotals.describe('Requests of this key and of every key below it.'),
});

type UsageOfKey = Awaited<ReturnType<typeof readUsageByKey>>[number];

/** Usage of the given keys, in the given tree order; keys whose subtree has no request are omitted. */
export async function readUsageByKey({ read }: Store, query: UsageQuery, keys: readonly KeyRow[]) {
  const totals = new Map((await read.usageByKey(query)).map((one) => [one.keyId, one]));
  const subtrees = new Map<string, UsageTotals>();
  // Children come before their parents here: each adds its whole subtree to its parent's.
  for (const { keyId, parentId } of keys.toReversed()) {
    const subtree = add(subtrees.get(keyId) ?? NONE, totals.get(keyId) ?? NONE);
    subtrees.set(keyId, subtree);
    if (parentId !== null) subtrees.set(parentId, add(subtrees.get(parentId) ?? NONE, subtree));
  }
  return keys
    .map((key) => ({ key, own: totals.get(key.keyId) ?? NONE, subtree: subtrees.get(key.keyId) ?? NONE }))
    .filter(({ subtree }) => subtree.requests > 0);
}

const NONE: UsageTotals = { ...NO_BUCKETS, requests: 0, reasoning: 0, cost: 0n };

function add(one: UsageTotals, other: UsageTotals): UsageTotals {
  return {
    ...addBuckets(one, other),
    requests: one.requests + other.requests,
    reasoning: one.reasoning + other.reasoning,
    cost: one.cost + other.cost,
  };
}

export function publicKeyUsage({ key, own, subtree }: UsageOfKey): z.output<typeof keyUsage> {
  return {
    key_id: key.keyId,
    name: key.name,
    parent_id: key.parentId,
    depth: key.depth,
    own: publicTotals(own),
    subtree: publicTotals(subtree),
  };
}

const SUMS = usageTotals.keyof().options;
const TITLES = ['key_id', 'name', 'parent_id', 'depth', ...SUMS, ...SUMS.map((name) => `subtree_${name}`)];

export function keyUsageFile(usage: readonly UsageOfKey[]): string {
  const rows = usage
    .map(publicKeyUsage)
    .map(({ key_id, name, parent_id, depth, own, subtree }) => [
      ...[key_id, name, parent_id, depth],
      ...SUMS.map((sum) => own[sum]),
      ...SUMS.map((sum) => subtree[sum]),
    ]);
  return csvHead(TITLES) + csvRows(rows);
}
