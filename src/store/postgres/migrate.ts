// Brings a database to the newest schema, in one transaction, or refuses one that a newer version has written. Nodes that
// start together take turns.

import { hashOf, type Migration, pendingMigrations } from '../migration.ts';
import { StoreRefused } from '../refusal.ts';
import type { Answer, Connection, Rows } from './connection.ts';
import { explain, NoAnswer } from './errors.ts';
import { MIGRATIONS } from './migrations/index.ts';

const MIGRATE_MS = 60_000;
/** Any number that no other program on the same database is likely to lock. */
export const MIGRATION_LOCK = 5_238_711_904_417;

const HISTORY = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version bigint PRIMARY KEY, name text NOT NULL, hash text NOT NULL
)`;

/** Rejects with StoreRefused, or with NoAnswer: then another connection may do better. */
export async function migrate(connection: Connection, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const ask = async (sql: string, values: unknown[] = []) =>
    toRows(await connection.send([{ sql, values }], MIGRATE_MS));
  await ask('BEGIN');
  try {
    await ask('SELECT pg_advisory_xact_lock($1::bigint)', [MIGRATION_LOCK]);
    await ask(HISTORY);
    const rows = await ask('SELECT version, hash FROM schema_migrations ORDER BY version');
    const applied = rows.map(({ version, hash }) => ({ version: Number(version), hash: String(hash) }));
    for (const migration of pendingMigrations(applied, migrations)) {
      toRows(await connection.send([{ sql: migration.sql, isScript: true }], MIGRATE_MS));
      await ask('INSERT INTO schema_migrations VALUES ($1, $2, $3)', [
        migration.version,
        migration.name,
        hashOf(migration),
      ]);
    }
    await ask('COMMIT');
  } catch (error) {
    await connection.close();
    if (error instanceof NoAnswer) throw error;
    throw error instanceof StoreRefused ? error : new StoreRefused(`cannot prepare the database: ${explain(error)}`);
  }
}

function toRows([answer]: readonly Answer[]): Rows {
  if (!answer?.ok) throw answer?.error;
  return answer.rows;
}
