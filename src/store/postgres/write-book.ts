// Everything a batch changed, as one statement: it is written whole or not at all, also if it never reaches the server.

import type { Book, Change, PageTable } from '../book/book.ts';
import { changedKeys } from '../changed-keys.ts';
import { ADDITIONS, KEYS, PAGES, type Table } from '../tables.ts';
import type { Query } from './connection.ts';
import { appendRows, deleteRows, insertRows, joinParts, type Part, rowOf, updateRows } from './statements.ts';

type RowTable = Exclude<PageTable, 'keyrings'>;
const ROW_TABLES: readonly RowTable[] = [
  'wallets',
  'windows',
  'budgets',
  'holds',
  'leases',
  'cards',
  'replays',
  'traffic',
  'settings',
  'incidents',
  'loginNames',
  'logins',
];

/** Undefined if nothing changed. */
export function writeBook(book: Book): Query | undefined {
  const { accounts, cardBatches, entries, usage, revisions, actions } = book.added;
  const parts = [
    ...insertAdded(ADDITIONS.accounts, accounts, ({ accountId }) => accountId),
    ...insertAdded(ADDITIONS.cardBatches, cardBatches, ({ batchId }) => batchId),
    ...ROW_TABLES.flatMap((name) => writeChanges(PAGES[name] as Table<object>, book.changes(name))),
    ...writeChanges(KEYS, book.changes('keyrings').flatMap(changedKeys)),
    ...appendAdded(ADDITIONS.entries, entries),
    ...insertAdded(ADDITIONS.usage, usage, ({ requestId }) => requestId),
    ...appendAdded(ADDITIONS.revisions, revisions),
    ...appendAdded(ADDITIONS.actions, actions),
  ];
  return parts.length === 0 ? undefined : joinParts(parts);
}

function writeChanges<Row extends object>(table: Table<Row>, changes: readonly Change<Row>[]): Part[] {
  const sorted = changes.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const inserted = sorted.flatMap(({ id, before, after }) => (after && !before ? [rowOf(table, id, after)] : []));
  const updated = sorted.flatMap(({ id, before, after }) => (after && before ? [rowOf(table, id, after)] : []));
  const deleted = sorted.flatMap(({ id, before, after }) => (!after && before ? [id] : []));
  return [
    ...(inserted.length > 0 ? [insertRows(table, inserted)] : []),
    ...(updated.length > 0 ? [updateRows(table, updated)] : []),
    ...(deleted.length > 0 ? [deleteRows(table, deleted)] : []),
  ];
}

function insertAdded<Row extends object>(table: Table<Row>, rows: readonly Row[], idOf: (row: Row) => string): Part[] {
  const inserted = rows.map((row) => rowOf(table, idOf(row), row));
  return rows.length === 0 ? [] : [insertRows(table, inserted)];
}

function appendAdded<Row extends object>(table: Table<Row>, rows: readonly Row[]): Part[] {
  const appended = rows.map((row) => rowOf(table, '', row));
  return rows.length === 0 ? [] : [appendRows(table, appended)];
}
