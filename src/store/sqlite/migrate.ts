// Brings a database to the newest schema, in one transaction, or refuses one that this program cannot run on.

import type { Database } from 'bun:sqlite';
import { failpoint } from '../../kit/failpoint.ts';
import { type AppliedMigration, hashOf, type Migration, oldestWith, pendingMigrations } from '../migration.ts';
import { StoreRefused } from '../refusal.ts';
import { columnsOf } from './inspect.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { postJournal } from './post-journal.ts';

interface MigrateOptions {
  migrations?: readonly Migration[];
  /** Nobody else can have it open. */
  isCopy?: boolean;
}

export function migrate(db: Database, options: MigrateOptions = {}): void {
  const { migrations = MIGRATIONS, isCopy = false } = options;
  db.transaction(() => {
    db.run(`CREATE TABLE IF NOT EXISTS schema_migrations (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, oldest INTEGER
    ) STRICT`);
    const applied = readApplied(db);
    const pending = pendingMigrations(applied, migrations);
    if (applied.length > 0 && pending.length > 0 && !isCopy) refuseWhileServed(db);
    // The journal of a killed server must be posted with the schema that wrote it.
    if (pending.length > 0) postJournal(db);
    if (pending.length > 0 && !hasOldest(db)) db.run('ALTER TABLE schema_migrations ADD COLUMN oldest INTEGER');
    for (const migration of pending) {
      db.run(migration.sql);
      failpoint('inside-migration');
      const row = { version: migration.version, hash: hashOf(migration), oldest: oldestWith(migration, applied) };
      db.query('INSERT INTO schema_migrations (version, name, hash, oldest) VALUES (?, ?, ?, ?)').run(
        row.version,
        migration.name,
        row.hash,
        row.oldest,
      );
      applied.push(row);
    }
  }).immediate();
}

/** A server of an older version would write without the new columns and tables. */
function refuseWhileServed(db: Database): void {
  if (!db.query(`SELECT 1 FROM leases WHERE expires_at > unixepoch('subsec') * 1000`).get()) return;
  throw new StoreRefused(
    'a server of an older version is running on this database: stop it first, then wait 15 seconds if it was killed',
  );
}

/** For a process that has the file open while another one migrates it: its own writes no longer fit. */
export function refuseOtherSchema(db: Database, opened: number): void {
  if (newestSchema(db) === opened) return;
  throw new StoreRefused('another version has upgraded this database meanwhile: stop this server');
}

export function newestSchema(db: Database): number {
  return Number(readApplied(db).at(-1)?.version ?? 0);
}

/** In their order. Versions before this column wrote no `oldest`. */
function readApplied(db: Database): AppliedMigration[] {
  const oldest = hasOldest(db) ? 'oldest' : 'NULL AS oldest';
  return db
    .query<AppliedMigration, []>(`SELECT version, hash, ${oldest} FROM schema_migrations ORDER BY version`)
    .all();
}

function hasOldest(db: Database): boolean {
  return columnsOf(db, 'schema_migrations').some(({ name }) => name === 'oldest');
}
