// All of an account's usage as a file of CSV. It is written piece by piece, as the client takes it: however large it is, and
// however many are asked for, only a page of each is in memory, and nobody else waits for it.

import { Fault } from '../faults/fault.ts';
import { csvHead, csvRows } from '../kit/csv.ts';
import { describeError, type Log } from '../kit/log.ts';
import type { UsageRecord } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { publicRecord } from '../usage/public-usage.ts';
import { type FindModel, readUsageQuery } from '../usage/read-query.ts';

const PAGE = 1_000;
const MOST_PAGES = 100;
const COLUMNS = [
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
  titles: COLUMNS,
  row(record) {
    const shown = publicRecord(record);
    return COLUMNS.map((name) => shown[name]);
  },
};

export interface UsageFileTools {
  store: Store;
  log: Log;
}

export interface UsageFileOptions {
  sheet?: UsageSheet;
  findModel?: FindModel;
}

/**
 * Rejects before there is anything to send: for a query that is refused, or a store that does not answer. A store that fails
 * later breaks the file off, so that nobody takes it for a whole one.
 */
export async function openUsageFile(
  { store, log }: UsageFileTools,
  accountId: string,
  params: URLSearchParams,
  { sheet = API_SHEET, findModel }: UsageFileOptions = {},
): Promise<string | ReadableStream<Uint8Array>> {
  const query = { ...readUsageQuery(accountId, params, findModel), limit: PAGE };
  let pages = 0;
  let isLast = false;

  async function nextRows(): Promise<string> {
    const { records, hasMore } = await store.read.usagePage(query);
    const last = records.at(-1);
    isLast = ++pages === MOST_PAGES || !hasMore || !last;
    if (last) query.after = { at: last.at, requestId: last.requestId };
    return csvRows(records.map(sheet.row));
  }

  const first = csvHead(sheet.titles) + (await nextRows());
  if (isLast) return first;
  let waiting = first;
  let isGone = false;
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const rows = waiting === '' ? await nextRows() : waiting;
          waiting = '';
          if (isGone) return;
          controller.enqueue(encoder.encode(rows));
          if (isLast) controller.close();
        } catch (error) {
          if (!isGone) log('error', 'usage_file_failed', { account_id: accountId, detail: reasonOf(error) });
          throw error;
        }
      },
      cancel() {
        isGone = true;
      },
    },
    // A page is read when the one before it was taken.
    { highWaterMark: 0 },
  );
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof Fault ? error.details.internal : describeError(error);
}
