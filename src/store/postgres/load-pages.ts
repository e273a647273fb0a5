// Reads and locks the pages of a batch, in the same order of tables and ids on all nodes, so that batches cannot deadlock.
// Each table is a separate statement on purpose: it sees what was committed while the statement before it waited for a lock.

import { assert } from '../../kit/assert.ts';
import { Book, type Touch } from '../book/book.ts';
import { touches } from '../book/decide.ts';
import type { Input, Operation, OperationName } from '../operations.ts';
import { KEYS } from '../rows.ts';
import { fromText, isTextKind, type Table } from '../table.ts';
import { forEachTable, PAGE_TABLES, PAGES, type Pages, type PageTable, ROW_PAGES } from '../tables.ts';
import type { Query, Rows } from './connection.ts';
import { toArray } from './statements.ts';

type Ids = ReadonlyMap<PageTable, ReadonlySet<string>>;
type LoadedPages = { [T in PageTable]?: Map<string, Pages[T]> };

export function loadPages(operations: readonly Operation[]) {
  const ids = touchedIds(operations);
  const tables = PAGE_TABLES.filter((table) => ids.has(table));
  return {
    queries: tables.map((table): Query => ({ sql: loadSql(table), values: [toArray([...(ids.get(table) ?? [])])] })),
    /** Takes the answers to the queries, in their order. */
    toBook(answers: readonly Rows[]): Book {
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

/** The pages of a batch that another transaction has locked. */
export function searchLocks(operations: readonly Operation[]) {
  const ids = touchedIds(operations);
  const tables = LOCKED_TABLES.filter((table) => ids.has(table));
  return {
    queries: tables.map((table) => ({ sql: READERS[table].locked, values: [toArray([...(ids.get(table) ?? [])])] })),
    toPages: (answers: readonly Rows[]): ReadonlySet<string> =>
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

/** The id's column name in a row without its own id. */
const ID = 'id';

const READERS = forEachTable(PAGES, prepareReader);
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

/**
 * Rows of a table as they are read within a batch: the server names the columns like the fields and sends a number within
 * 2^53 as one, not as a bigint, so that most rows are used just as they come.
 */
function prepareReader<Row>({ name, idColumn, idField, columns }: Table<Row>) {
  const id = idField ?? ID;
  const list = [
    `${idColumn} AS "${id}"`,
    ...columns.map((column) => `${column.name}${column.kind === 'number' ? '::float8' : ''} AS "${column.field}"`),
  ].join(', ');
  const those = `FROM ${name} WHERE ${idColumn} = ANY($1::text[])`;
  const read = `SELECT ${list} ${those} ORDER BY ${name}.${idColumn}`;
  const fields = columns.map(({ field }) => field);
  const texts = columns.flatMap(({ field, kind }) => (isTextKind(kind) ? [{ field, kind }] : []));

  return {
    /** Selects the rows whose ids are in an array. */
    read,
    /** Waits for the rows, in the order of their ids. */
    lock: `${read} FOR UPDATE`,
    /** The ids of rows that another session has locked, without waiting. */
    locked: `WITH free AS (SELECT ${idColumn} ${those} FOR UPDATE SKIP LOCKED)
      SELECT ${idColumn} AS id ${those} AND ${idColumn} NOT IN (SELECT ${idColumn} FROM free)`,
    /** For statements with their own conditions. */
    columns: list,
    decode(rows: Rows): Map<string, Row> {
      const decoded = new Map<string, Row>();
      for (const row of rows) {
        const own = idField === undefined ? pick(row, fields) : (row as Record<string, unknown>);
        for (const { field, kind } of texts) if (own[field] !== null) own[field] = fromText(own[field] as string, kind);
        decoded.set(row[id] as string, own as Row);
      }
      return decoded;
    },
  };
}

function pick(row: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) picked[field] = row[field];
  return picked;
}
