// Reads the pages a batch touches and locks them, table after table and id after id in one order everywhere, so that two
// batches never wait for each other. Each table is a statement of its own on purpose: it sees what was committed while
// the one before it waited for a lock.

import { assert } from '../../kit/assert.ts';
import { Book, PAGE_TABLES, type Pages, type PageTable } from '../book/book.ts';
import { touches } from '../book/decide.ts';
import type { Operation } from '../operations.ts';
import { decodeRow, KEYS, PAGES } from '../tables.ts';
import { toArray } from './arrays.ts';
import type { Query, Rows } from './connection.ts';
import { lockRows, readRows } from './statements.ts';

export interface Loading {
  queries: Query[];
  /** Takes the answers to the queries, in their order. */
  toBook(answers: readonly Rows[]): Book;
}

type Ids = ReadonlyMap<PageTable, ReadonlySet<string>>;
type LoadedPages = { [T in PageTable]?: Map<string, Pages[T]> };

export function loadPages(operations: readonly Operation[]): Loading {
  const ids = touchedIds(operations);
  const tables = PAGE_TABLES.filter((table) => ids.has(table));
  return {
    queries: tables.map((table) => ({ sql: LOAD[table], values: [toArray([...(ids.get(table) ?? [])])] })),
    toBook(answers) {
      const pages: LoadedPages = {};
      tables.forEach((table, index) => {
        const rows = answers[index];
        assert(rows, 'every table that is touched was read');
        if (table === 'keyrings') pages.keyrings = toKeyrings(rows);
        else Object.assign(pages, { [table]: toPages(table, rows) });
      });
      return new Book((table, id) => {
        assert(ids.get(table)?.has(id), 'an operation looks only at pages it said it touches');
        return pages[table]?.get(id);
      });
    },
  };
}

const LOAD: { [T in PageTable]: string } = {
  wallets: lockRows(PAGES.wallets),
  windows: lockRows(PAGES.windows),
  // Under the lock of the account's wallet, which whoever changes these has taken before.
  budgets: readRows(PAGES.budgets),
  holds: readRows(PAGES.holds),
  // A node alone renews its lease, and nobody shortens it: no batch has to wait for another one's look at it.
  leases: readRows(PAGES.leases),
  cards: lockRows(PAGES.cards),
  replays: lockRows(PAGES.replays),
  traffic: lockRows(PAGES.traffic),
  settings: lockRows(PAGES.settings),
  incidents: lockRows(PAGES.incidents),
  loginNames: lockRows(PAGES.loginNames),
  logins: lockRows(PAGES.logins),
  // Like budgets and holds.
  keyrings: 'SELECT * FROM keys WHERE account_id = ANY($1::text[]) ORDER BY created_at, key_id',
};

function touchedIds(operations: readonly Operation[]): Ids {
  const ids = new Map<PageTable, Set<string>>();
  for (const { name, input } of operations) {
    for (const { table, id } of touches(name, input)) {
      const known = ids.get(table);
      if (known) known.add(id);
      else ids.set(table, new Set([id]));
    }
  }
  return ids;
}

function toPages<T extends Exclude<PageTable, 'keyrings'>>(name: T, rows: Rows): Map<string, Pages[T]> {
  const table = PAGES[name];
  return new Map(rows.map((row) => [String(row[table.idColumn]), decodeRow(table, row) as Pages[T]]));
}

function toKeyrings(rows: Rows): Map<string, Pages['keyrings']> {
  return Map.groupBy(
    rows.map((row) => decodeRow(KEYS, row)),
    (key) => key.accountId,
  );
}
