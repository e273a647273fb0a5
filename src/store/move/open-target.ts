// Opens the PostgreSQL database that is moved to: checks it, requires that it is empty, and begins one transaction. Until
// the commit no other session sees its rows, and no server can start on it.

import type { Clock } from '../../kit/clock.ts';
import { databasePlace } from '../database-url.ts';
import { createConnect } from '../postgres/connect.ts';
import { askOn, type Connection, type Rows } from '../postgres/connection.ts';
import { NoAnswer } from '../postgres/errors.ts';
import { checkServer, MIGRATION_LOCK, migrate } from '../postgres/migrate.ts';
import { cannotUse } from '../postgres/postgres-store.ts';
import { StoreRefused } from '../refusal.ts';
import { readPostgresSchema, type TableSchema } from './plan-move.ts';

export type Ask = (sql: string, values?: readonly unknown[]) => Promise<Rows>;

export interface Target {
  /** Host and database, without the user. */
  place: string;
  tables: readonly TableSchema[];
  /** Within the transaction. */
  ask: Ask;
  /** `lost`: the outcome is unknown. `proof` is a query that returns a row only if the transaction was committed. */
  commit(proof: string): Promise<'committed' | 'rolled back' | 'lost'>;
  /** Rolls back whatever is not committed. */
  close(): Promise<void>;
}

/** Long enough to read all of a large database on a slow server. */
const STATEMENT_MS = 1_800_000;
const LOOK_MS = 30_000;
const SETTINGS = {
  application_name: 'ai-gateway move',
  statement_timeout: String(STATEMENT_MS),
  lock_timeout: '10000',
  idle_in_transaction_session_timeout: '600000',
};

/** The migrations insert rows into this table, so it is emptied before it is copied. */
export const FILLED_BY_MIGRATIONS = 'versions';
const HISTORY = 'schema_migrations';
const NEW_DATABASE = 'make a new database for this, such as by createdb, and name that one';

/** Rejects with StoreRefused. */
export async function openTarget(url: string, clock: Clock): Promise<Target> {
  const open = createConnect(url, clock);
  const connect = () => open(SETTINGS);
  let connection: Connection | undefined;
  try {
    connection = await connect();
    await checkServer(connection, false);
    return await begin(connection, databasePlace(url), connect);
  } catch (error) {
    await connection?.close();
    throw error instanceof StoreRefused ? error : cannotUse(url, error);
  }
}

async function begin(connection: Connection, place: string, connect: () => Promise<Connection>): Promise<Target> {
  const ask = askWith(connection);
  refuseForeign(await readPostgresSchema(ask), place);
  await migrate(connection);
  await ask('BEGIN');
  await ask(LOCK_OUT_STARTS);
  const tables = await readPostgresSchema(ask);
  await refuseFilled(ask, tables, place);
  return {
    place,
    tables,
    ask,
    async commit(proof) {
      const [answer] = await connection.send([{ sql: 'COMMIT' }], STATEMENT_MS);
      // An error of the server ended the transaction: COMMIT then rolls back.
      if (answer?.ok) return answer.rows.command === 'COMMIT' ? 'committed' : 'rolled back';
      if (!(answer?.error instanceof NoAnswer)) return 'rolled back';
      return lookAgain(connect, proof);
    },
    close: () => connection.close(),
  };
}

/** This lock can be taken only after the transaction has ended. */
const LOCK_OUT_STARTS = `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;

async function lookAgain(
  connect: () => Promise<Connection>,
  proof: string,
): Promise<'committed' | 'rolled back' | 'lost'> {
  let connection: Connection | undefined;
  try {
    connection = await connect();
    const ask = askWith(connection, LOOK_MS);
    await ask(LOCK_OUT_STARTS);
    return (await ask(proof)).length > 0 ? 'committed' : 'rolled back';
  } catch {
    return 'lost';
  } finally {
    await connection?.close();
  }
}

/** Our schema would stay among the tables of another program, even if nothing is moved. */
function refuseForeign(tables: readonly TableSchema[], place: string): void {
  if (tables.length === 0 || tables.some(({ name }) => name === HISTORY)) return;
  const names = tables.map(({ name }) => name).join(', ');
  throw new StoreRefused(`the database at ${place} has tables of something else (${names}): ${NEW_DATABASE}`);
}

async function refuseFilled(ask: Ask, tables: readonly TableSchema[], place: string): Promise<void> {
  const filled: string[] = [];
  for (const { name } of tables) {
    if (name === HISTORY) continue;
    // Taken before the check, so that no server writes there after it.
    await ask(`LOCK TABLE ${quoted(name)} IN SHARE ROW EXCLUSIVE MODE`);
    if (name === FILLED_BY_MIGRATIONS) continue;
    if ((await ask(`SELECT 1 FROM ${quoted(name)} LIMIT 1`)).length > 0) filled.push(name);
  }
  if (filled.length === 0) return;
  throw new StoreRefused(`the database at ${place} is not empty (${filled.join(', ')}): ${NEW_DATABASE}`);
}

/** Other programs may have tables in it, with any names. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function askWith(connection: Connection, withinMs = STATEMENT_MS): Ask {
  return (sql, values = []) => askOn(connection, { sql, values }, withinMs);
}
