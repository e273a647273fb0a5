// Checks the settings of a server before money is entrusted to it, and brings its database to the newest schema, in one
// transaction, or refuses one that this program cannot run on. Nodes that start together take turns.

import { DAY_MS } from '../../kit/clock.ts';
import { failpoint } from '../../kit/failpoint.ts';
import { type AppliedMigration, hashOf, type Migration, oldestWith, pendingMigrations } from '../migration.ts';
import { StoreRefused } from '../refusal.ts';
import { askOn, type Connection, type Rows } from './connection.ts';
import { explain, isLockTimeout, NoAnswer } from './errors.ts';
import { MIGRATIONS } from './migrations/index.ts';

const SMALL_MS = 60_000;
/** A script takes as long as its tables are large. */
const SCRIPT_MS = 24 * 3_600_000;
/** A wait for a lock is logged, and then tried again. */
const LOCK_MS = 4_000;
/** Less than a commit waits for a lock. */
const SERVED_LOCK_MS = 50;
/** Any number that no other program on the same database is likely to lock. */
export const MIGRATION_LOCK = 5_238_711_904_417;

const HISTORY = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version bigint PRIMARY KEY, name text NOT NULL, hash text NOT NULL, oldest bigint
)`;
/** Versions before this column wrote no `oldest`. It is added with the next upgrade: a start that changes nothing takes no lock. */
const ADD_OLDEST = 'ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS oldest bigint';
const APPLIED = `SELECT version, hash, to_jsonb(schema_migrations) ->> 'oldest' AS oldest
  FROM schema_migrations ORDER BY version`;

/**
 * A server of an older version would write without the new columns and tables, so the migration waits until it has stopped.
 * Leases that end in more than a day are ignored: a node's clock may be hours ahead because of a wrong time zone, but a
 * lease that far ahead was written by a wrong clock.
 */
const LIVE_LEASE = `SELECT 1 FROM leases, (SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now) AS clock
  WHERE expires_at > now AND expires_at < now + ${DAY_MS} LIMIT 1`;
const SERVED =
  'it needs an upgrade, and a server of an older version is running on it: stop all nodes first (one that was killed counts for 15 seconds)';

interface MigrateOptions {
  migrations?: readonly Migration[];
  /** Called before the first script, with the version that the database has and the one it will have. */
  onUpgrade?(from: number, to: number): void;
}

/** Rejects with StoreRefused, or with NoAnswer: then another connection, or a later one, may do better. */
export async function migrate(
  connection: Connection,
  { migrations = MIGRATIONS, onUpgrade }: MigrateOptions = {},
): Promise<void> {
  const ask = (sql: string, values: unknown[] = [], withinMs = SMALL_MS) =>
    askOn(connection, { sql, values }, withinMs);
  let waitsFor = 'another process upgrades or moves it';
  await ask('BEGIN');
  try {
    await ask(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    await ask('SELECT pg_advisory_xact_lock($1::bigint)', [MIGRATION_LOCK]);
    await ask('SET LOCAL statement_timeout = 0');
    await ask(HISTORY);
    const applied = (await ask(APPLIED)).map(toApplied);
    const pending = pendingMigrations(applied, migrations);
    // Nodes that run on the schema before run on the result, too.
    const isCompatible = pending.every(({ isAdditive }) => isAdditive);
    const isServed = applied.length > 0 && pending.length > 0 && (await ask(LIVE_LEASE)).length > 0;
    if (isServed && !isCompatible) throw new NoAnswer(SERVED);
    // Commits of running nodes queue behind a statement that waits for a table lock.
    if (isServed) await ask(`SET LOCAL lock_timeout = ${SERVED_LOCK_MS}`);
    if (pending.length > 0) await ask(ADD_OLDEST);
    if (pending.length > 0) onUpgrade?.(Number(applied.at(-1)?.version ?? 0), migrations.at(-1)?.version ?? 0);
    for (const migration of pending) {
      waitsFor = `another session keeps a table locked that its upgrade to schema ${migration.version} needs`;
      await askOn(connection, { sql: migration.sql, isScript: true }, SCRIPT_MS);
      failpoint('inside-migration');
      const row = { version: migration.version, hash: hashOf(migration), oldest: oldestWith(migration, applied) };
      await ask('INSERT INTO schema_migrations (version, name, hash, oldest) VALUES ($1, $2, $3, $4)', [
        row.version,
        migration.name,
        row.hash,
        row.oldest,
      ]);
      applied.push(row);
    }
    await ask('COMMIT', [], SCRIPT_MS);
  } catch (error) {
    await connection.close();
    if (error instanceof NoAnswer) throw error;
    if (isLockTimeout(error)) throw new NoAnswer(waitsFor);
    throw error instanceof StoreRefused ? error : new StoreRefused(`cannot prepare the database: ${explain(error)}`);
  }
}

function toApplied({ version, hash, oldest }: Rows[number]): AppliedMigration {
  return { version: Number(version), hash: String(hash), oldest: oldest === null ? null : Number(oldest) };
}

const OLDEST_VERSION = 14;
const CHECK_MS = 5_000;

/** A commit must be on disk before it is acknowledged. Throws StoreRefused. */
export async function checkServer(connection: Connection, unsafeNoSync: boolean): Promise<void> {
  const [facts = {}] = await askOn(connection, { sql: FACTS }, CHECK_MS);
  const version = Math.trunc(Number(facts.version) / 10_000);
  if (version < OLDEST_VERSION) {
    throw new StoreRefused(`the database is PostgreSQL ${version}; at least ${OLDEST_VERSION} is needed`);
  }
  if (facts.replica === true) throw new StoreRefused('the database is a read-only replica: name the primary');
  if (facts.encoding !== 'UTF8') throw new StoreRefused(`the database is encoded in ${facts.encoding}, not in UTF8`);
  if (unsafeNoSync) return;
  for (const [name, value] of [
    ['fsync', facts.fsync],
    ['synchronous_commit', facts.synchronous_commit],
  ]) {
    if (value === 'off') {
      throw new StoreRefused(`the database runs with ${name} = off: it could lose money it has confirmed`);
    }
  }
}

const FACTS = `SELECT current_setting('server_version_num') AS version, current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS synchronous_commit, pg_is_in_recovery() AS replica,
  current_setting('server_encoding') AS encoding`;
