// An account's usage as a CSV file. It is streamed as the client reads it: only one page is in memory at a time, and
// other requests do not wait for it. While it is sent, it counts as a running request.

import { csvHead, csvRows } from '../../kit/csv.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { Load } from '../../limits/load.ts';
import type { UsageQuery } from '../../store/reads.ts';
import type { UsageRecord } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { publicRecord, usageRecord } from './public-usage.ts';

const PAGE = 1_000;
const MAX_PAGES = 100;
/** The maximum number of records in a file; older ones are left out. */
export const MAX_RECORDS = PAGE * MAX_PAGES;
/** Memory for one file while it is sent: a page of records, their text, and the buffers of the socket. */
const FILE_BYTES = 4 * 1024 * 1024;
const COLUMNS = usageRecord.keyof().options;

/** The columns of a usage file. */
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

interface UsageFileOptions {
  /** Aborts when the client disconnects: a server need not read a body that has no reader. */
  gone: AbortSignal;
  sheet?: UsageSheet;
}

/**
 * Rejects before anything is sent if too much is under way or the store does not answer. If the store fails later, the
 * connection is cut, so that the client does not accept an incomplete file.
 */
export async function openUsageFile(
  { store, log, load }: { store: Store; log: Log; load: Pick<Load, 'acquire'> },
  query: UsageQuery,
  { gone, sheet = API_SHEET }: UsageFileOptions,
): Promise<string | ReadableStream<Uint8Array>> {
  const nextPage = readPages(store, { ...query, limit: PAGE }, sheet);
  const capacity = load.acquire(query.accountId);
  try {
    capacity.grow(FILE_BYTES);
    const first = await nextPage();
    const whole = { ...first, text: csvHead(sheet.titles) + first.text };
    if (!first.isLast && !gone.aborted)
      return streamPages(whole, nextPage, { gone, onEnd: () => capacity.release(), onFailure });
    capacity.release();
    return whole.text;
  } catch (error) {
    capacity.release();
    throw error;
  }

  function onFailure(error: unknown): void {
    log('error', 'usage_file_failed', { account_id: query.accountId, detail: describeError(error) });
  }
}

interface Page {
  text: string;
  isLast: boolean;
}

function readPages(store: Store, { ...query }: UsageQuery, sheet: UsageSheet): () => Promise<Page> {
  let pages = 0;
  return async () => {
    const { records, hasMore } = await store.read.usagePage(query);
    const last = records.at(-1);
    if (last) query.after = { at: last.at, requestId: last.requestId };
    return { text: csvRows(records.map(sheet.row)), isLast: ++pages === MAX_PAGES || !hasMore || !last };
  };
}

interface Watch {
  gone: AbortSignal;
  /** Called on success, failure or abort, perhaps more than once. */
  onEnd(): void;
  onFailure(error: unknown): void;
}

function streamPages(first: Page, nextPage: () => Promise<Page>, { gone, onEnd, onFailure }: Watch) {
  const encoder = new TextEncoder();
  let waiting: Page | undefined = first;
  let isGone = false;
  const leave = () => {
    isGone = true;
    onEnd();
  };
  gone.addEventListener('abort', leave, { once: true });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { text, isLast } = waiting ?? (await nextPage());
          waiting = undefined;
          if (isGone) return;
          controller.enqueue(encoder.encode(text));
          if (!isLast) return;
          controller.close();
          onEnd();
        } catch (error) {
          onEnd();
          if (!isGone) onFailure(error);
          throw error;
        }
      },
      cancel: leave,
    },
    // The next page is read only after the previous one was taken.
    { highWaterMark: 0 },
  );
}
