// Writes what a batch changed, inside the batch's transaction.

import type { Database, Statement } from 'bun:sqlite';
import type { Additions, Book, Change, PageTable } from '../book/book.ts';
import { changedKeys } from '../changed-keys.ts';
import { ADDITIONS, encodeRow, KEYS, PAGES, type SqlValue, type Table } from '../tables.ts';

export type WriteBook = (book: Book) => void;

interface TableWriter<Row> {
  write(change: Change<Row>): void;
}

export function prepareWriteBook(db: Database): WriteBook {
  const insertAccounts = prepareAdd(db, ADDITIONS.accounts, true);
  const insertBatches = prepareAdd(db, ADDITIONS.cardBatches, true);
  const insertUsage = prepareAdd(db, ADDITIONS.usage, true);
  const insertEntries = prepareAdd(db, ADDITIONS.entries, false);
  const insertRevisions = prepareAdd(db, ADDITIONS.revisions, false);
  const keys = prepareTable(db, KEYS);
  const writers: { [T in Exclude<PageTable, 'keyrings'>]: (book: Book) => void } = {
    wallets: writeChanges('wallets', prepareTable(db, PAGES.wallets)),
    windows: writeChanges('windows', prepareTable(db, PAGES.windows)),
    budgets: writeChanges('budgets', prepareTable(db, PAGES.budgets)),
    holds: writeChanges('holds', prepareTable(db, PAGES.holds)),
    leases: writeChanges('leases', prepareTable(db, PAGES.leases)),
    cards: writeChanges('cards', prepareTable(db, PAGES.cards)),
    replays: writeChanges('replays', prepareTable(db, PAGES.replays)),
    traffic: writeChanges('traffic', prepareTable(db, PAGES.traffic)),
    settings: writeChanges('settings', prepareTable(db, PAGES.settings)),
  };
  return (book) => {
    insertAccounts(book.added.accounts);
    insertBatches(book.added.cardBatches);
    for (const write of Object.values(writers)) write(book);
    for (const ring of book.changes('keyrings')) for (const change of changedKeys(ring)) keys.write(change);
    insertEntries(book.added.entries);
    insertUsage(book.added.usage);
    insertRevisions(book.added.revisions);
  };
}

function writeChanges<T extends Exclude<PageTable, 'keyrings'>>(
  name: T,
  writer: TableWriter<NonNullable<(typeof PAGES)[T]['row']>>,
) {
  return (book: Book) => {
    for (const change of book.changes(name)) {
      writer.write(change as Change<NonNullable<(typeof PAGES)[T]['row']>>);
    }
  };
}

function prepareTable<Row extends object>(db: Database, table: Table<Row>): TableWriter<Row> {
  const names = table.columns.map((column) => column.name);
  const insert = db.prepare(
    `INSERT INTO ${table.name} (${[table.idColumn, ...names].join(', ')}) VALUES (${marks(names.length + 1)})`,
  );
  const update = db.prepare(
    `UPDATE ${table.name} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ${table.idColumn} = ?`,
  );
  const remove = db.prepare(`DELETE FROM ${table.name} WHERE ${table.idColumn} = ?`);
  return {
    write({ id, before, after }) {
      if (!after) {
        if (before) remove.run(id);
      } else if (before) run(update, [...encodeRow(table, after), id]);
      else run(insert, [id, ...encodeRow(table, after)]);
    },
  };
}

function prepareAdd<T extends keyof Additions>(db: Database, table: Table<Additions[T]>, hasId: boolean) {
  const names = table.columns.map((column) => column.name);
  const all = hasId ? [table.idColumn, ...names] : names;
  const insert = db.prepare(`INSERT INTO ${table.name} (${all.join(', ')}) VALUES (${marks(all.length)})`);
  return (rows: readonly Additions[T][]) => {
    for (const row of rows) {
      const values = encodeRow(table, row);
      run(insert, hasId ? [idOf(table, row), ...values] : values);
    }
  };
}

function idOf<Row extends object>({ idField }: Table<Row>, row: Row): SqlValue {
  return (row as Record<string, SqlValue>)[idField ?? ''] ?? null;
}

function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}

function run(statement: Statement, values: SqlValue[]): void {
  statement.run(...values.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
}
