// Reads the pages a batch touches and locks them, table after table and id after id in one order everywhere, so that two
// batches never wait for each other. Each table is a statement of its own on purpose: it sees what was committed while
// the one before it waited for a lock.

import { assert } from '../../kit/assert.ts';
import { Book, PAGE_TABLES, type Pages, type PageTable } from '../book/book.ts';
import { touches } from '../book/decide.ts';
import type { Operation } from '../operations.ts';
import { KEYS, PAGES } from '../tables.ts';
import { toArray } from './arrays.ts';
import type { Query, Rows } from './connection.ts';
import { prepareReader, type RowReader } from './read-rows.ts';

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
        else Object.assign(pages, { [table]: READERS[table].decode(rows) });
      });
      return new Book((table, id) => {
        assert(ids.get(table)?.has(id), 'an operation looks only at pages it said it touches');
        return pages[table]?.get(id);
      });
    },
  };
}

type Readers = { [T in Exclude<PageTable, 'keyrings'>]: RowReader<Pages[T]> };
const READERS: Readers = {
  wallets: prepareReader(PAGES.wallets),
  windows: prepareReader(PAGES.windows),
  budgets: prepareReader(PAGES.budgets),
  holds: prepareReader(PAGES.holds),
  leases: prepareReader(PAGES.leases),
  cards: prepareReader(PAGES.cards),
  replays: prepareReader(PAGES.replays),
  traffic: prepareReader(PAGES.traffic),
  settings: prepareReader(PAGES.settings),
  incidents: prepareReader(PAGES.incidents),
  loginNames: prepareReader(PAGES.loginNames),
  logins: prepareReader(PAGES.logins),
};
const KEY_READER = prepareReader(KEYS);

const LOAD: { [T in PageTable]: string } = {
  wallets: READERS.wallets.lock,
  windows: READERS.windows.lock,
  // Under the lock of the account's wallet, which whoever changes these has taken before.
  budgets: READERS.budgets.read,
  holds: READERS.holds.read,
  // A node alone renews its lease, and nobody shortens it: no batch has to wait for another one's look at it.
  leases: READERS.leases.read,
  cards: READERS.cards.lock,
  replays: READERS.replays.lock,
  traffic: READERS.traffic.lock,
  settings: READERS.settings.lock,
  incidents: READERS.incidents.lock,
  loginNames: READERS.loginNames.lock,
  logins: READERS.logins.lock,
  // Like budgets and holds.
  keyrings: `SELECT ${KEY_READER.columns} FROM keys WHERE account_id = ANY($1::text[]) ORDER BY keys.created_at, keys.key_id`,
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

function toKeyrings(rows: Rows): Map<string, Pages['keyrings']> {
  return Map.groupBy(KEY_READER.decode(rows).values(), (key) => key.accountId);
}
