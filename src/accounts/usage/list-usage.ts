// One page of an account's usage, and on request its sums for each key.

import type { UsageQuery } from '../../store/reads.ts';
import type { KeyRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { publicRecord, publicTotals } from './public-usage.ts';
import { writeCursor } from './read-query.ts';
import { publicKeyUsage, readUsageByKey } from './usage-by-key.ts';

/** `keys`: those to sum for, in tree order; undefined: nothing is summed. */
export async function listUsage(store: Store, query: UsageQuery, keys?: readonly KeyRow[]) {
  const [{ records, hasMore, totals }, usage] = await Promise.all([
    store.read.usagePage(query),
    keys && readUsageByKey(store, query, keys),
  ]);
  const last = records.at(-1);
  return {
    object: 'list' as const,
    data: records.map(publicRecord),
    has_more: hasMore,
    next_cursor: hasMore && last ? writeCursor(last.at, last.requestId) : null,
    totals: publicTotals(totals),
    ...(usage ? { by_key: usage.map(publicKeyUsage) } : {}),
  };
}
