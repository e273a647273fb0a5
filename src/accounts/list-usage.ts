// An account's usage: one page of records, or all of it as CSV, always through the account itself.

import { csvHead, csvRows } from '../kit/csv.ts';
import type { UsageRecord } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { publicRecord, publicTotals } from '../usage/public-usage.ts';
import { type FindModel, readUsageQuery, writeCursor } from '../usage/read-query.ts';

const CSV_PAGE = 1_000;
const CSV_MOST_PAGES = 100;
const CSV_COLUMNS = [
  'request_id',
  'at',
  'key_id',
  'model',
  'channel',
  'endpoint',
  'status',
  'stream',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'output_tokens',
  'reasoning_tokens',
  'images',
  'first_token_ms',
  'total_ms',
  'cost_ntd',
  'cost_nano',
  'balance_after_ntd',
  'balance_after_nano',
  'estimated',
  'revision',
] as const;

/** What a file of usage has as columns. */
export interface UsageSheet {
  titles: readonly string[];
  row(record: UsageRecord): readonly unknown[];
}

const API_SHEET: UsageSheet = {
  titles: CSV_COLUMNS,
  row(record) {
    const shown = publicRecord(record);
    return CSV_COLUMNS.map((name) => shown[name]);
  },
};

export async function listUsage(store: Store, accountId: string, params: URLSearchParams, findModel?: FindModel) {
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

/** Each page is written as it comes: all of them at one go would keep everybody else waiting. */
export async function usageAsCsv(
  store: Store,
  accountId: string,
  params: URLSearchParams,
  { sheet = API_SHEET, findModel }: { sheet?: UsageSheet; findModel?: FindModel } = {},
): Promise<string> {
  const query = { ...readUsageQuery(accountId, params, findModel), limit: CSV_PAGE };
  const pieces = [csvHead(sheet.titles)];
  for (let page = 0; page < CSV_MOST_PAGES; page++) {
    const { records: more, hasMore } = await store.read.usagePage(query);
    pieces.push(csvRows(more.map(sheet.row)));
    const last = more.at(-1);
    if (!hasMore || !last) break;
    query.after = { at: last.at, requestId: last.requestId };
  }
  return pieces.join('');
}
