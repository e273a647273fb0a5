// One page of an account's usage.

import type { Store } from '../../store/store.ts';
import { publicRecord, publicTotals } from './public-usage.ts';
import { type FindModel, readUsageQuery, writeCursor } from './read-query.ts';

export async function listUsage(store: Store, accountId: string, params: URLSearchParams, findModel: FindModel) {
  const { records, hasMore, totals } = await store.read.usagePage(readUsageQuery(accountId, params, findModel));
  const last = records.at(-1);
  return {
    object: 'list',
    data: records.map(publicRecord),
    has_more: hasMore,
    next_cursor: hasMore && last ? writeCursor(last.at, last.requestId) : null,
    totals: publicTotals(totals),
  };
}
