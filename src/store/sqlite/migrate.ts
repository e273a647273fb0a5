// Brings a database to the newest schema, in one transaction, or refuses one that a newer version has written.

import type { Database } from 'bun:sqlite';
import { failpoint } from '../../kit/failpoint.ts';
import { type AppliedMigration, hashOf, type Migration, pendingMigrations } from '../migration.ts';
import { StoreRefused } from '../refusal.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { postJournal } from './post-journal.ts';

export interface MigrateOptions {
  migrations?: readonly Migration[];
  /** Nobody else can have it open. */
  isCopy?: boolean;
}

export function migrate(db: Database, options: MigrateOptions = {}): void {
  const { migrations = MIGRATIONS, isCopy = false } = options;
  db.transaction(() => {
    db.run(`CREATE TABLE IF NOT EXISTS schema_migrations (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL
    ) STRICT`);
    const applied = db
      .query<AppliedMigration, []>('SELECT version, hash FROM schema_migrations ORDER BY version')
      .all();
    const pending = pendingMigrations(applied, migrations);
    if (applied.length > 0 && pending.length > 0 && !isCopy) refuseWhileServed(db);
    // What a killed server has journaled fits the schema that it had.
    if (pending.length > 0) postJournal(db);
    for (const migration of pending) {
      db.run(migration.sql);
      failpoint('inside-migration');
      db.query('INSERT INTO schema_migrations VALUES (?, ?, ?)').run(
        migration.version,
        migration.name,
        hashOf(migration),
      );
    }
  }).immediate();
}

/** A server of the version before knows nothing of what is new here, and would write as if it were not there. */
function refuseWhileServed(db: Database): void {
  if (!db.query(`SELECT 1 FROM leases WHERE expires_at > unixepoch('subsec') * 1000`).get()) return;
  throw new StoreRefused(
    'a server of an older version is running on this database: stop it first, then wait 15 seconds if it was killed',
  );
}

/** For a process that has the file open while another one migrates it: its own writes no longer fit. */
export function refuseOtherSchema(db: Database): void {
  const newest = db.query<{ version: bigint }, []>('SELECT max(version) AS version FROM schema_migrations').get();
  if (Number(newest?.version) === MIGRATIONS.at(-1)?.version) return;
  throw new StoreRefused('another version has upgraded this database meanwhile: stop this server');
}
