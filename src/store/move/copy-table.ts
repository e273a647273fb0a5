// Copies one table: every row is written unchanged, read back and compared. Triggers are off, because what they would write
// (sums of usage, the newest revision) is copied, too.

import type { Database } from 'bun:sqlite';
import { assert } from '../../kit/assert.ts';
import { toArray } from '../postgres/arrays.ts';
import { StoreRefused } from '../refusal.ts';
import { type Ask, FILLED_BY_MIGRATIONS } from './open-target.ts';
import type { MovedKind, MovedTable } from './plan-move.ts';

/** A value for each column. */
type TextRow = readonly (string | null)[];

const BATCH_ROWS = 1_000;
/** One document alone may be longer. */
const BATCH_CHARS = 1_000_000;

/** Returns the number of rows. */
export async function copyTable(ask: Ask, db: Database, table: MovedTable): Promise<number> {
  const { name, columns } = table;
  const list = columns.map((column) => column.name).join(', ');
  const arrays = columns.map(({ kind }, index) => `$${index + 1}::${kind}[]`).join(', ');
  const insert = `INSERT INTO ${name} (${list}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${arrays})`;
  let rows = 0;
  await ask(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  if (name === FILLED_BY_MIGRATIONS) await ask(`DELETE FROM ${name}`);
  for (const batch of rowBatches(db, table)) {
    await ask(
      insert,
      columns.map((_, index) => toArray(batch.map((row) => row[index] ?? null))),
    );
    rows += batch.length;
  }
  await ask(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  await countOn(ask, db, table);
  await ask(`ANALYZE ${name}`);
  return rows;
}

/** The next number was never used, not even by a deleted row. */
async function countOn(ask: Ask, db: Database, { name, counted }: MovedTable): Promise<void> {
  if (counted === undefined) return;
  const { last } = db
    .query<{ last: bigint }, [string]>(
      `SELECT max(coalesce((SELECT max(${counted}) FROM ${name}), 0),
         coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)) AS last`,
    )
    .get(name) ?? { last: 0n };
  await ask(`ALTER TABLE ${name} ALTER COLUMN ${counted} RESTART WITH ${last + 1n}`);
}

/** Throws StoreRefused at the first row that is not the same on both sides. */
export async function compareTable(ask: Ask, db: Database, table: MovedTable): Promise<void> {
  const { name, columns, key } = table;
  const isText = (column: string) => columns.some((one) => one.name === column && one.kind === 'text');
  const list = columns.map((column) => `${column.name}::text AS "${column.name}"`).join(', ');
  const order = key.map((column) => `${name}.${column}${isText(column) ? ' COLLATE "C"' : ''}`).join(', ');
  // A unique name, because its rows have their own columns.
  const cursor = `moved_${name}`;
  await ask(`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${list} FROM ${name} ORDER BY ${order}`);
  const fetch = async (count: number): Promise<TextRow[]> => {
    const rows = await ask(`FETCH FORWARD ${count} FROM ${cursor}`);
    return rows.map((row) => columns.map((column) => row[column.name] as string | null));
  };
  for (const batch of rowBatches(db, table)) {
    const found = await fetch(batch.length);
    if (!batch.every((row, index) => isSame(row, found[index]))) throw differs(name);
  }
  if ((await fetch(1)).length > 0) throw differs(name);
  await ask(`CLOSE ${cursor}`);
}

function isSame(row: TextRow, found: TextRow | undefined): boolean {
  return found !== undefined && row.every((value, index) => value === found[index]);
}

function differs(name: string): StoreRefused {
  return new StoreRefused(`nothing was moved: what PostgreSQL has of the table ${name} is not what was written`);
}

/**
 * The rows of an embedded table in the order of their keys, a bounded number at a time, every value as the text that
 * PostgreSQL reads and writes for it: no number passes through a float.
 */
function* rowBatches(db: Database, { name, columns, key }: MovedTable): Generator<TextRow[]> {
  const list = columns.map((column) => column.name).join(', ');
  const statement = db.prepare<Record<string, unknown>, []>(`SELECT ${list} FROM ${name} ORDER BY ${key.join(', ')}`);
  let batch: TextRow[] = [];
  let chars = 0;
  try {
    for (const row of statement.iterate()) {
      const texts = columns.map((column) => toText(row[column.name], column.kind));
      batch.push(texts);
      for (const text of texts) chars += text?.length ?? 0;
      if (batch.length < BATCH_ROWS && chars < BATCH_CHARS) continue;
      yield batch;
      batch = [];
      chars = 0;
    }
  } finally {
    statement.finalize();
  }
  if (batch.length > 0) yield batch;
}

function toText(value: unknown, kind: MovedKind): string | null {
  if (value === null) return null;
  if (kind === 'text') {
    assert(typeof value === 'string', 'a text column holds text');
    return value;
  }
  assert(typeof value === 'bigint', 'an integer column holds integers');
  if (kind === 'bigint') return String(value);
  assert(value === 0n || value === 1n, 'a flag is 0 or 1');
  return value === 1n ? 'true' : 'false';
}
