// Moves the embedded database to PostgreSQL: everything is copied in one transaction, compared and audited, and then
// committed. The file is kept, with a mark that its accounts were moved. The mark is written before the commit: if the
// command is killed in between, no server can use either database, and never both.

import type { Database } from 'bun:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { AssertionFailed } from '../../kit/assert.ts';
import { failpoint } from '../../kit/failpoint.ts';
import { NANO_PER_NTD, type Nano } from '../../kit/money.ts';
import { AUDIT } from '../audit-read.ts';
import { explain } from '../postgres/errors.ts';
import type { AuditReport } from '../reads.ts';
import { StoreRefused } from '../refusal.ts';
import type { Action } from '../rows.ts';
import { audit as auditSqlite } from '../sqlite/audit.ts';
import { refuseServed } from '../sqlite/backup.ts';
import { prepareIsBehind } from '../sqlite/is-behind.ts';
import { markMoved, refuseMoved, unmarkMoved } from '../sqlite/moved-mark.ts';
import { openDatabase } from '../sqlite/open-database.ts';
import { compareTable, copyTable } from './copy-table.ts';
import type { Ask, Target } from './open-target.ts';
import { planMove } from './plan-move.ts';
import { readSqliteSchema } from './read-schemas.ts';

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
