// Brings a database to the newest schema, in one transaction, or refuses one that a newer version has written.

import type { Database } from 'bun:sqlite';
import { createHash } from 'node:crypto';
import { failpoint } from '../../kit/failpoint.ts';
import { StoreRefused } from '../refusal.ts';
import { MIGRATIONS, type Migration } from './migrations/index.ts';

interface AppliedMigration {
  version: bigint;
  hash: string;
}

export function migrate(db: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  db.transaction(() => {
    db.run(`CREATE TABLE IF NOT EXISTS schema_migrations (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL
    ) STRICT`);
    const applied = db
      .query<AppliedMigration, []>('SELECT version, hash FROM schema_migrations ORDER BY version')
      .all();
    for (const row of applied) checkApplied(row, migrations);
    for (const migration of migrations.slice(applied.length)) {
      db.run(migration.sql);
      failpoint('K12');
      db.query('INSERT INTO schema_migrations VALUES (?, ?, ?)').run(
        migration.version,
        migration.name,
        hashOf(migration),
      );
    }
  }).immediate();
}

function checkApplied({ version, hash }: AppliedMigration, migrations: readonly Migration[]): void {
  const known = migrations.find((migration) => migration.version === Number(version));
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
