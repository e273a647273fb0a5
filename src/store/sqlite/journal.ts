// The journal: batches that were answered and are not yet in the tables, one row each. The text of a row has the changes of its
// batch: the last state of each page and the added rows, with their columns in the order of the table. A program older than
// the schema leaves out columns that it does not know, and names the others. Changes that a constraint of the tables could
// refuse are not journaled, because an answered batch must always be postable.

import type { Database } from 'bun:sqlite';
import { MAX_NANO, moneyCell } from '../../kit/money.ts';
import type { Book } from '../book/book.ts';
import { type ColumnKind, type Table, toText } from '../table.ts';
import { ADDITIONS, type Additions, PAGES, type PageTable } from '../tables.ts';
import { columnsOf } from './inspect.ts';

export function prepareJournal(db: Database) {
  const encode = prepareEncodeChanges(db);
  const insert = db.prepare<unknown, [string]>('INSERT INTO journal (changes) VALUES (?)');
  const remove = db.prepare('DELETE FROM journal');
  const recorded = db.prepare<unknown, [string]>(
    'SELECT 1 FROM json_each(?) AS one CROSS JOIN usage_records ON request_id = one.value LIMIT 1',
  );
  /** Requests whose records are journaled. */
  const closed = new Set<string>();

  /** A request has one usage record: the table would refuse a second one. */
  function hasRecord(requestIds: readonly string[]): boolean {
    for (const requestId of requestIds) {
      if (closed.has(requestId)) return true;
      closed.add(requestId);
    }
    return requestIds.length > 0 && recorded.get(JSON.stringify(requestIds)) !== null;
  }

  return {
    /** Journals the changes of the batch; false if they must be written to the tables at once, whose constraints check them. */
    append(book: Book): boolean {
      const changes = encode(book);
      if (changes === undefined) return false;
      const requestIds = book.batchRows.flatMap(({ table, row }) => (table === 'usage' ? [row.requestId] : []));
      if (hasRecord(requestIds)) return false;
      insert.run(changes);
      return true;
    },
    /** The book was written to the tables. */
    clear(): void {
      remove.run();
      closed.clear();
    },
    /** Discards everything in memory. */
    forget: () => closed.clear(),
  };
}

/** Money is a number or digits, which SQLite converts to integers. */
type Cell = string | number | null;

/** A table and one row of it. */
export type Image = [table: string, ...Cell[]];

export interface Changes {
  /** The columns of the images, by table, where these are not all that the table has. */
  columns?: Readonly<Record<string, readonly string[]>>;
  put: Image[];
  /** Only the id of the row. */
  deleted: Image[];
  added: Image[];
}

/** Undefined if the batch cannot be journaled, because it changes another table or a column could refuse a value. */
type EncodeChanges = (book: Book) => string | undefined;

type Encode = (row: object | undefined, id?: string) => Image | undefined;
type AnyTable = Omit<Table<unknown>, 'row'>;

/** The pages that requests change. The reads that look at these tables, or at the additions below, are marked `journaled`. */
const JOURNALED_PAGES = ['wallets', 'windows', 'budgets', 'sessionBudgets', 'lossDays', 'holds'] as const;
const JOURNALED_ADDITIONS = ['entries', 'usage', 'losses', 'events'] as const;

/** Times fit, and sums of many such counts are still far from what a column can hold. */
const MAX_NUMBER = 2 ** 42;

function prepareEncodeChanges(db: Database): EncodeChanges {
  const columns: Record<string, readonly string[]> = {};
  for (const table of [
    ...JOURNALED_PAGES.map((name) => PAGES[name]),
    ...JOURNALED_ADDITIONS.map((name) => ADDITIONS[name]),
  ]) {
    const all = columnsOf(db, table.name).map(({ name }) => name);
    const known = all.filter((name) => isKnown(table, name));
    if (known.length < all.length) columns[table.name] = known;
  }
  const isOlder = Object.keys(columns).length > 0;
  const pages = new Map<PageTable, Encode>(JOURNALED_PAGES.map((name) => [name, prepareImage(db, PAGES[name])]));
  const additions = new Map<keyof Additions, Encode>(
    JOURNALED_ADDITIONS.map((name) => [name, prepareImage(db, ADDITIONS[name])]),
  );
  return (book) => {
    const changes: Changes = { ...(isOlder ? { columns } : {}), put: [], deleted: [], added: [] };
    for (const [{ id, after }, table] of book.batchPages) {
      const image = pages.get(table)?.(after, id);
      if (!image) return undefined;
      changes[after ? 'put' : 'deleted'].push(image);
    }
    for (const { table, row } of book.batchRows) {
      const image = additions.get(table)?.(row);
      if (!image) return undefined;
      changes.added.push(image);
    }
    return JSON.stringify(changes);
  };
}

/** The page's id is given; an addition carries its own, or has none where the database counts them. */
function prepareImage(db: Database, table: AnyTable): Encode {
  const { name, idColumn, idField = idColumn } = table;
  const described = new Map(table.columns.map((column) => [column.name, column]));
  const known = columnsOf(db, name).filter((column) => isKnown(table, column.name));
  const columns = known.map((column) => {
    const isId = column.name === idColumn;
    const found = described.get(column.name);
    return { isId, isNullable: column.isNullable, field: found?.field ?? idField, kind: found?.kind ?? 'text' };
  });
  return (row, id) => {
    if (!row) return [name, id ?? null];
    const fields = row as Record<string, unknown>;
    const image: Image = [name];
    for (const { isId, isNullable, field, kind } of columns) {
      const value = (isId ? id : undefined) ?? fields[field] ?? null;
      const cell = value === null ? null : toCell(value, kind);
      if (cell === undefined || (cell === null && !isNullable)) return undefined;
      image.push(cell);
    }
    return image;
  };
}

function isKnown({ idColumn, columns }: AnyTable, name: string): boolean {
  return name === idColumn || columns.some((column) => column.name === name);
}

/** Undefined if a column of this kind could refuse the value. */
function toCell(value: unknown, kind: ColumnKind): Cell | undefined {
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'number':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_NUMBER
        ? value
        : undefined;
    case 'money':
      return typeof value === 'bigint' && value >= 0n && value <= MAX_NANO ? moneyCell(value) : undefined;
    case 'flag':
      return typeof value === 'boolean' ? Number(value) : undefined;
    case 'json':
    case 'slots':
    case 'limits':
      return toText(value, kind);
  }
}
