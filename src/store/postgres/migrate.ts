// Brings a database to the newest schema, in one transaction, or refuses one that a newer version has written. Nodes that
// start together take turns.

import { createHash } from 'node:crypto';
import { StoreRefused } from '../refusal.ts';
import type { Answer, Connection, Rows } from './connection.ts';
import { explain, NoAnswer } from './errors.ts';
import { MIGRATIONS, type Migration } from './migrations/index.ts';

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
    const applied = await ask('SELECT version, hash FROM schema_migrations ORDER BY version');
    for (const row of applied) checkApplied(Number(row.version), String(row.hash), migrations);
    for (const migration of migrations.slice(applied.length)) {
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

function checkApplied(version: number, hash: string, migrations: readonly Migration[]): void {
  const known = migrations.find((migration) => migration.version === version);
  if (!known) {
    throw new StoreRefused(
      `the database is from a newer version (its schema is ${version}, this program knows up to ${migrations.length}): upgrade the program`,
    );
  }
  if (hashOf(known) !== hash) throw new StoreRefused(`migration ${version} differs from the one this database had`);
}

function hashOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}

function toRows([answer]: readonly Answer[]): Rows {
  if (!answer?.ok) throw answer?.error;
  return answer.rows;
}
