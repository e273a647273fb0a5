// Pages as the last batches left them, so that a busy wallet is not read again for every batch. This thread is the only
// one of its process that writes. The database reports writes of other processes, which invalidate the cache.

import type { Database } from 'bun:sqlite';
import type { Book } from '../book/book.ts';
import { HOLDS, KEYS } from '../rows.ts';
import { decodeRow } from '../table.ts';
import { forEachTable, PAGES, type Pages, type PageTable, type RowPage } from '../tables.ts';
import { whenRun } from './when-run.ts';

/** The tables that nearly every batch touches. */
const CACHED: readonly RowPage[] = ['wallets', 'windows', 'budgets', 'holds', 'leases'];
const MAX_PAGES = 20_000;
/** Up to this many open holds are read at once; with more, each is looked up in the table. */
const MAX_HOLDS = 1_000;
/** Batches to wait before counting them again after there were more. */
const PATIENCE = 1_000;

export function createPageCache(db: Database) {
  const load = prepareLoad(db);
  const openHolds = db.prepare<Record<string, unknown>, []>(`SELECT * FROM holds LIMIT ${MAX_HOLDS + 1}`);
  const version = db.prepare<{ data_version: bigint }, []>('PRAGMA data_version');
  const caches = new Map<PageTable, Map<string, unknown>>(CACHED.map((table) => [table, new Map()]));
  let seen: bigint | undefined;
  /** Whether all open holds are known, so that one of a new request need not be looked for; undefined if not yet asked. */
  let knowsHolds: boolean | undefined;
  let patience = 0;

  /** Discards everything, after anything other than a committed batch. */
  const forget = () => {
    for (const cache of caches.values()) cache.clear();
    knowsHolds = patience > 0 ? false : undefined;
    patience--;
  };

  function put(cache: Map<string, unknown>, id: string, row: unknown): void {
    if (cache.size >= MAX_PAGES) {
      cache.clear();
      if (cache === caches.get('holds')) knowsHolds = false;
    }
    cache.set(id, row);
  }

  function readHolds(cache: Map<string, unknown>): boolean {
    const rows = openHolds.all();
    if (rows.length > MAX_HOLDS) {
      patience = PATIENCE;
      return false;
    }
    for (const row of rows) {
      const hold = decodeRow(HOLDS, row);
      cache.set(hold.requestId, hold);
    }
    return true;
  }

  return {
    forget,
    load<T extends PageTable>(table: T, id: string): Pages[T] | undefined {
      const cache = caches.get(table);
      if (!cache) return load(table, id);
      const known = cache.get(id) as Pages[T] | undefined;
      // Missing rows are cached, too.
      if (known !== undefined || cache.has(id)) return known;
      if (table === 'holds') {
        if (knowsHolds) return undefined;
        if (knowsHolds === undefined) {
          knowsHolds = readHolds(cache);
          if (knowsHolds) return cache.get(id) as Pages[T] | undefined;
        }
      }
      const row = load(table, id);
      put(cache, id, row);
      return row;
    },
    /** Called inside a transaction, before anything is loaded: whether no other process has written since the last time. */
    isCurrent(): boolean {
      const now = version.get()?.data_version;
      const isSame = now === seen;
      seen = now;
      return isSame;
    },
    /** Called after the book was written. */
    keep(book: Book): void {
      for (const table of CACHED) {
        const cache = caches.get(table);
        if (!cache) continue;
        for (const { id, after } of book.changes(table)) {
          // A closed hold is never read again.
          if (after === undefined) cache.delete(id);
          else put(cache, id, after);
        }
      }
    },
  };
}

type LoadPage = <T extends PageTable>(table: T, id: string) => Pages[T] | undefined;

/** How a page is read from its table. */
function prepareLoad(db: Database): LoadPage {
  const byId = forEachTable(PAGES, (table) => {
    const sql = `SELECT * FROM ${table.name} WHERE ${table.idColumn} = ?`;
    const statement = whenRun<Record<string, unknown>, [string]>(db, sql);
    return (id: string): object | undefined => {
      const row = statement().get(id);
      return row ? decodeRow(table, row) : undefined;
    };
  });
  const keysOf = whenRun<Record<string, unknown>, [string]>(
    db,
    'SELECT * FROM keys WHERE account_id = ? AND revoked_at IS NULL ORDER BY created_at, key_id',
  );
  const loaders: Record<PageTable, (id: string) => unknown> = {
    ...byId,
    keyrings: (accountId) =>
      keysOf()
        .all(accountId)
        .map((row) => decodeRow(KEYS, row)),
  };
  return <T extends PageTable>(table: T, id: string) => loaders[table](id) as Pages[T] | undefined;
}
