// Writes what a batch changed, inside the batch's transaction; and refused requests.

import type { Database } from 'bun:sqlite';
import { type Book, type Change, changedKeys } from '../book/book.ts';
import {
  accountsOf,
  addCounts,
  addRequests,
  COUNT_COLUMNS,
  inOneOrder,
  REQUEST_COLUMNS,
  type RefusalBatch,
  trimRequests,
} from '../refusals.ts';
import { type Action, KEYS, type UsageRecord } from '../rows.ts';
import { type Column, isTextKind, type SqlValue, type Table, toText } from '../table.ts';
import { ADDITIONS, forEachTable, type NewRevision, PAGES, ROW_PAGES } from '../tables.ts';
import { addingToDays } from './post-journal.ts';
import { whenRun } from './when-run.ts';

type WriteBook = (book: Book) => void;

export function prepareWriteBook(db: Database): WriteBook {
  const add = forEachTable(ADDITIONS, (table) => prepareAdd(db, table));
  const insertRevision = prepareInsert(db, ADDITIONS.revisions);
  const addToDays = whenRun(db, addingToDays(db));
  const writeKey = prepareWrite(db, KEYS);
  const writers = forEachTable(PAGES, (table) => prepareWrite(db, table));
  return (book) => {
    const { accounts, cardBatches, entries, losses, revisions, actions, events } = book.added;
    add.accounts(accounts);
    add.cardBatches(cardBatches);
    for (const table of ROW_PAGES) for (const change of book.changes(table)) writers[table](change);
    for (const keyring of book.changes('keyrings')) for (const change of changedKeys(keyring)) writeKey(change);
    add.entries(entries);
    const usage = book.added.usage.toSorted(byId);
    add.usage(usage);
    if (usage.length > 0) addToDays().run(JSON.stringify(usage.map(({ requestId }) => requestId)));
    add.losses(losses);
    for (const added of revisions) add.actions([lineOf(added, insertRevision(added))]);
    add.actions(actions);
    add.events(events);
  };
}

/** As the table has them: neighbours are written one after the other, and pages fill up. */
function byId(a: UsageRecord, b: UsageRecord): number {
  return a.requestId < b.requestId ? -1 : 1;
}

function prepareWrite<Row extends object>(db: Database, table: Table<Row>) {
  const names = table.columns.map((column) => column.name);
  const insert = whenRun(
    db,
    `INSERT INTO ${table.name} (${[...names, table.idColumn].join(', ')}) VALUES (${marks(names.length + 1)})`,
  );
  const update = whenRun(
    db,
    `UPDATE ${table.name} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ${table.idColumn} = ?`,
  );
  const remove = whenRun(db, `DELETE FROM ${table.name} WHERE ${table.idColumn} = ?`);
  const encode = prepareEncode(table.columns);
  return ({ id, before, after }: Change<Row>): void => {
    if (after) (before ? update : insert)().run(...encode(after, id));
    else if (before) remove().run(id);
  };
}

function lineOf({ log }: NewRevision, revision: number): Action {
  return { ...log, detail: { revision, ...log.detail } };
}

export function prepareAdd<Row extends object>(db: Database, table: Table<Row>) {
  const insert = prepareInsert(db, table);
  return (rows: readonly Row[]) => {
    for (const row of rows) insert(row);
  };
}

/** Returns the id, where the database counts them. */
function prepareInsert<Row extends object>(db: Database, table: Table<Row>) {
  const names = table.columns.map((column) => column.name);
  const all = table.idField === undefined ? names : [...names, table.idColumn];
  const insert = whenRun(db, `INSERT INTO ${table.name} (${all.join(', ')}) VALUES (${marks(all.length)})`);
  const encode = prepareEncode(table.columns);
  return (row: Row) => Number(insert().run(...encode(row, idOf(table, row))).lastInsertRowid);
}

/** Undefined where the database counts the ids. */
function idOf<Row extends object>({ idField }: Table<Row>, row: Row): SqlValue | undefined {
  return idField === undefined ? undefined : (row as Record<string, SqlValue>)[idField];
}

/** The columns in their order, the id after them. SQLite knows no boolean. */
function prepareEncode(columns: readonly Column[]) {
  return (row: object, id?: SqlValue): SqlValue[] => {
    const fields = row as Record<string, unknown>;
    const values: SqlValue[] = [];
    for (const { field, kind } of columns) {
      const value = fields[field] ?? null;
      if (isTextKind(kind)) values.push(value === null ? null : toText(value, kind));
      else values.push(typeof value === 'boolean' ? Number(value) : (value as SqlValue));
    }
    if (id !== undefined) values.push(id);
    return values;
  };
}

function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}

const encodeCount = prepareEncode(COUNT_COLUMNS);
const encodeRequest = prepareEncode(REQUEST_COLUMNS);

/** In a transaction of its own. No page of an operation is in these tables. */
export function writeRefusals(db: Database, { counts, requests }: RefusalBatch): void {
  const count = db.query(addCounts(`VALUES (${marks(COUNT_COLUMNS.length)})`));
  const keep = db.query(addRequests(`VALUES (${marks(REQUEST_COLUMNS.length)})`));
  const trim = db.query(trimRequests('SELECT value FROM json_each(?)'));
  db.transaction(() => {
    for (const one of inOneOrder(counts)) count.run(...encodeCount(one));
    for (const one of requests) keep.run(...encodeRequest(one));
    trim.run(JSON.stringify(accountsOf(requests)));
  }).immediate();
}
