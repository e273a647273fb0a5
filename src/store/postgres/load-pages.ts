// Reads and locks the pages of a batch, in the same order of tables and ids on all nodes, so that batches cannot deadlock.
// Each table is a separate statement on purpose: it sees what was committed while the statement before it waited for a lock.

import { assert } from '../../kit/assert.ts';
import { Book, type Touch } from '../book/book.ts';
import { touches } from '../book/decide.ts';
import type { Input, Operation, OperationName } from '../operations.ts';
import { KEYS } from '../rows.ts';
import { forEachPage, PAGE_TABLES, type Pages, type PageTable, ROW_PAGES } from '../tables.ts';
import { toArray } from './arrays.ts';
import type { Query, Rows } from './connection.ts';
import { prepareReader } from './read-rows.ts';

interface Loading {
  queries: Query[];
  /** Takes the answers to the queries, in their order. */
  toBook(answers: readonly Rows[]): Book;
}

/** The pages of a batch that another transaction has locked. */
interface LockSearch {
  queries: Query[];
  /** Takes the answers to the queries, in their order. */
  toPages(answers: readonly Rows[]): ReadonlySet<string>;
}

type Ids = ReadonlyMap<PageTable, ReadonlySet<string>>;
type LoadedPages = { [T in PageTable]?: Map<string, Pages[T]> };

export function loadPages(operations: readonly Operation[]): Loading {
  const ids = touchedIds(operations);
  const tables = PAGE_TABLES.filter((table) => ids.has(table));
  return {
    queries: tables.map((table) => ({ sql: loadSql(table), values: [toArray([...(ids.get(table) ?? [])])] })),
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

export function searchLocks(operations: readonly Operation[]): LockSearch {
  const ids = touchedIds(operations);
  const tables = LOCKED_TABLES.filter((table) => ids.has(table));
  return {
    queries: tables.map((table) => ({ sql: READERS[table].locked, values: [toArray([...(ids.get(table) ?? [])])] })),
    toPages: (answers) =>
      new Set(
        tables.flatMap((table, index) => (answers[index] ?? []).map(({ id }) => nameOfPage({ table, id: String(id) }))),
      ),
  };
}

/** The pages of an operation by the names that `searchLocks` gives them. */
export function pagesOf<Name extends OperationName>(name: Name, input: Input<Name>): string[] {
  return touches(name, input).map(nameOfPage);
}

const nameOfPage = ({ table, id }: Touch) => `${table} ${id}`;

const READERS = forEachPage(prepareReader);
const KEY_READER = prepareReader(KEYS);

/**
 * Tables that are read without a lock. Budgets, days of losses, holds and keyrings are protected by the lock of the
 * account's wallet, which every operation that changes them takes first. A lease is changed only by its own node and never
 * shortened.
 */
const UNLOCKED: readonly PageTable[] = ['budgets', 'lossDays', 'holds', 'leases', 'keyrings'];
const LOCKED_TABLES = ROW_PAGES.filter((table) => !UNLOCKED.includes(table));
const KEYRINGS = `SELECT ${KEY_READER.columns} FROM keys WHERE account_id = ANY($1::text[]) AND revoked_at IS NULL
  ORDER BY keys.created_at, keys.key_id`;

function loadSql(table: PageTable): string {
  if (table === 'keyrings') return KEYRINGS;
  return UNLOCKED.includes(table) ? READERS[table].read : READERS[table].lock;
}

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
