// All of an account's usage as a file of CSV. It is written piece by piece, as the client takes it: however large it is, only a
// page of it is in memory, and nobody else waits for it. While it is sent, it is one of the requests that are under way.

import { csvHead, csvRows } from '../../kit/csv.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { Load } from '../../limits/load.ts';
import type { UsageQuery } from '../../store/reads.ts';
import type { UsageRecord } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { publicRecord } from './public-usage.ts';
import { type FindModel, readUsageQuery } from './read-query.ts';

const PAGE = 1_000;
const MOST_PAGES = 100;
/** What a file has at most: the newest. */
export const MOST_RECORDS = PAGE * MOST_PAGES;
/** What one file takes while it is sent: a page of records, their text, and what sockets hold of it. */
const ROOM_BYTES = 4 * 1024 * 1024;
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
  load: Pick<Load, 'enter'>;
}

export interface UsageFileOptions {
  /** The client has left: a server need not ask for a body that nobody takes. */
  gone: AbortSignal;
  sheet?: UsageSheet;
  findModel: FindModel;
}

/**
 * Rejects before there is anything to send: for a query that is refused, too much under way, or a store that does not answer.
 * A store that fails later breaks the file off, so that nobody takes it for a whole one.
 */
export async function openUsageFile(
  { store, log, load }: UsageFileTools,
  accountId: string,
  params: URLSearchParams,
  { gone, sheet = API_SHEET, findModel }: UsageFileOptions,
): Promise<string | ReadableStream<Uint8Array>> {
  const nextPage = readPages(store, { ...readUsageQuery(accountId, params, findModel), limit: PAGE }, sheet);
  const room = load.enter(accountId);
  try {
    room.grow(ROOM_BYTES);
    const first = await nextPage();
    const whole = { ...first, text: csvHead(sheet.titles) + first.text };
    if (!first.isLast && !gone.aborted)
      return inPieces(whole, nextPage, { gone, onEnd: () => room.leave(), onFailure });
    room.leave();
    return whole.text;
  } catch (error) {
    room.leave();
    throw error;
  }

  function onFailure(error: unknown): void {
    log('error', 'usage_file_failed', { account_id: accountId, detail: describeError(error) });
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
    return { text: csvRows(records.map(sheet.row)), isLast: ++pages === MOST_PAGES || !hasMore || !last };
  };
}

interface Watch {
  gone: AbortSignal;
  /** At the end, whichever it is; perhaps more than once. */
  onEnd(): void;
  onFailure(error: unknown): void;
}

function inPieces(first: Page, nextPage: () => Promise<Page>, { gone, onEnd, onFailure }: Watch) {
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
    // A page is read when the one before it was taken.
    { highWaterMark: 0 },
  );
}
