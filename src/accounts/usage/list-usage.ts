// One page of an account's usage.

import type { UsageQuery } from '../../store/reads.ts';
import type { Store } from '../../store/store.ts';
import { publicRecord, publicTotals } from './public-usage.ts';
import { writeCursor } from './read-query.ts';

export async function listUsage(store: Store, query: UsageQuery) {
  const { records, hasMore, totals } = await store.read.usagePage(query);
  const last = records.at(-1);
  return {
    object: 'list' as const,
    data: records.map(publicRecord),
    has_more: hasMore,
    next_cursor: hasMore && last ? writeCursor(last.at, last.requestId) : null,
    totals: publicTotals(totals),
  };
}
