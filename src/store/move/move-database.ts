// Moves the embedded database to PostgreSQL: everything is copied in one transaction, compared and audited, and then
// committed. The file is kept, with a mark that its accounts were moved. The mark is written before the commit: if the
// command is killed in between, no server can use either database, and never both.

import type { Database } from 'bun:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { AssertionFailed, assert } from '../../kit/assert.ts';
import { failpoint } from '../../kit/failpoint.ts';
import { NANO_PER_NTD, type Nano } from '../../kit/money.ts';
import { AUDIT } from '../audit-read.ts';
import { explain } from '../postgres/errors.ts';
import { toArray } from '../postgres/statements.ts';
import type { AuditReport } from '../reads.ts';
import { StoreRefused } from '../refusal.ts';
import type { Action } from '../rows.ts';
import { audit as auditSqlite, refuseServed } from '../sqlite/backup.ts';
import { prepareIsBehind } from '../sqlite/inspect.ts';
import { markMoved, refuseMoved, unmarkMoved } from '../sqlite/moved-mark.ts';
import { openDatabase } from '../sqlite/open-database.ts';
import { type Ask, FILLED_BY_MIGRATIONS, type Target } from './open-target.ts';
import { type MovedKind, type MovedTable, planMove, readSqliteSchema } from './plan-move.ts';

export interface Moved {
  /** How many rows each table has. */
  rows: Record<string, number>;
  report: AuditReport;
  /** The total of all wallets. */
  balance: Nano;
}

/**
 * Requires the newest schema and an empty journal. `log` is added to the log of actions in PostgreSQL. Rejects with
 * StoreRefused; then PostgreSQL is empty, unless the message says otherwise.
 */
export async function moveDatabase(file: string, target: Target, log: Action): Promise<Moved> {
  const db = openDatabase(file);
  try {
    // From here on no other process can write to it, and no server can start on it.
    db.run('BEGIN IMMEDIATE');
    refuseServed(db, log.at);
    // Another process may have moved it since it was opened.
    refuseMoved(db);
    if (prepareIsBehind(db)()) throw new StoreRefused('a server has written to this database meanwhile: try again');
    const moved = await copyAll(db, target);
    await noteMove(target.ask, log);
    failpoint('inside-move');
    markMoved(db, target.place, log.at);
    db.run('COMMIT');
    failpoint('inside-move');
    await commitOrUnmark(db, target, log);
    failpoint('inside-move');
    return moved;
  } catch (error) {
    if (error instanceof StoreRefused || error instanceof AssertionFailed) throw error;
    throw new StoreRefused(`nothing was moved: ${explain(error)}`);
  } finally {
    db.close();
  }
}

/** Removes the mark, so that servers and commands can use the file again. False if there was none. */
export function undoMove(file: string): boolean {
  const db = openDatabase(file);
  try {
    return unmarkMoved(db);
  } finally {
    db.close();
  }
}

async function copyAll(db: Database, { ask, tables }: Target): Promise<Moved> {
  const plan = planMove(readSqliteSchema(db), tables);
  const rows: Record<string, number> = {};
  for (const table of plan) {
    rows[table.name] = await copyTable(ask, db, table).catch((error: unknown) => {
      if (error instanceof AssertionFailed) throw error;
      throw new StoreRefused(`nothing was moved: the table ${table.name} is refused: ${explain(error)}`);
    });
    failpoint('inside-move');
  }
  for (const table of plan) await compareTable(ask, db, table);
  const here = { report: auditSqlite(db, {}), balance: toSum(db.query<Sum, []>(BALANCES).get()) };
  const there = { report: await auditIn(ask), balance: toSum((await ask(BALANCES))[0]) };
  if (!isDeepStrictEqual(comparable(here), comparable(there))) {
    throw new StoreRefused('nothing was moved: the audit of what PostgreSQL has does not come to the same');
  }
  return { rows, ...here };
}

async function auditIn(ask: Ask): Promise<AuditReport> {
  const answers = [];
  for (const { sql } of AUDIT.ask({})) answers.push(await ask(sql));
  return AUDIT.decode(answers, {});
}

type Sum = Readonly<Record<string, unknown>>;

/** Sums whole NT$ and the rest separately: the total of all wallets may exceed 64 bits. */
const BALANCES = `SELECT coalesce(sum(balance_nano / 1000000000), 0) AS ntd, coalesce(sum(balance_nano % 1000000000), 0) AS nano
  FROM wallets`;

function toSum(row: Sum | null | undefined): Nano {
  return BigInt(String(row?.ntd ?? 0)) * NANO_PER_NTD + BigInt(String(row?.nano ?? 0));
}

/** The reports without what may differ between the databases: where the next pass begins, and the order of differences. */
function comparable({ report, balance }: { report: AuditReport; balance: Nano }) {
  const { lastEntryId: _, differences, ...sums } = report;
  return { ...sums, balance, differences: differences.map((one) => JSON.stringify(one)).toSorted() };
}

async function noteMove(ask: Ask, { at, actor, action, subject, detail }: Action): Promise<void> {
  const values = [at, actor, action, subject, JSON.stringify(detail)];
  await ask('INSERT INTO audit_log (at, actor, action, subject, detail) VALUES ($1, $2, $3, $4, $5)', values);
}

async function commitOrUnmark(db: Database, target: Target, { at, action }: Action): Promise<void> {
  const proof = `SELECT 1 FROM audit_log WHERE action = '${action}' AND at = ${at}`;
  const end = await target.commit(proof);
  if (end === 'committed') return;
  if (end === 'lost') {
    throw new StoreRefused(
      `the connection to ${target.place} was lost at the last step: look whether the table accounts there has rows; if it has, everything was moved; if not, run the command "move undo", and move again`,
    );
  }
  unmarkMoved(db);
  throw new StoreRefused(`nothing was moved: ${target.place} did not commit`);
}

/** A value for each column. */
type TextRow = readonly (string | null)[];

const BATCH_ROWS = 1_000;
/** One document alone may be longer. */
const BATCH_CHARS = 1_000_000;

/**
 * Every row is written unchanged. Triggers are off, because what they would write (sums of usage, the newest revision) is
 * copied, too. Returns the number of rows.
 */
async function copyTable(ask: Ask, db: Database, table: MovedTable): Promise<number> {
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

/** Every row is read back. Throws StoreRefused at the first that is not the same on both sides. */
async function compareTable(ask: Ask, db: Database, table: MovedTable): Promise<void> {
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
