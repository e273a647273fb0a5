// Migrations: their type, the ones a database still needs, and the programs that can run on it. Shared by both databases.
// How one is run is theirs.

import { StoreRefused } from './refusal.ts';

export interface Migration {
  version: number;
  name: string;
  sql: string;
  /**
   * Programs that run on the schema before it run on its result: it only adds tables, indexes, and columns that are NULL or
   * have a default, and these programs write nothing that would be wrong with them. A column of `usage_days` also needs one
   * of the same name in `usage_records`. PostgreSQL blocks writes to a table while it builds an index: one on a large table
   * is `CREATE INDEX IF NOT EXISTS`, and the changelog asks operators to create it `CONCURRENTLY` before.
   */
  isAdditive?: true;
}

/** As the database remembers it. */
export interface AppliedMigration {
  version: number | bigint;
  hash: string;
  /** The oldest schema whose program can run on the result; null if only its own can. */
  oldest: number | bigint | null;
}

/** Throws StoreRefused if the database has one that this program cannot run with, or knows differently. */
export function pendingMigrations(applied: readonly AppliedMigration[], migrations: readonly Migration[]): Migration[] {
  const newest = applied.at(-1);
  if (newest) refuseNewer(newest, migrations.at(-1)?.version ?? 0);
  const hashes = new Map(applied.map(({ version, hash }) => [Number(version), hash]));
  for (const migration of migrations) {
    const hash = hashes.get(migration.version);
    if (hash === undefined || hash === hashOf(migration)) continue;
    throw new StoreRefused(`migration ${migration.version} differs from the one this database had`);
  }
  return migrations.filter(({ version }) => !hashes.has(version));
}

/** The oldest schema whose program can run on the database once it is applied. */
export function oldestWith(
  migration: Migration,
  before: readonly Pick<AppliedMigration, 'version' | 'oldest'>[],
): number {
  const last = before.at(-1);
  return migration.isAdditive && last ? oldestOf(last) : migration.version;
}

/** Throws StoreRefused if a program that knows this schema cannot run on a database with that newest migration. */
function refuseNewer(newest: Pick<AppliedMigration, 'version' | 'oldest'>, known: number): void {
  const oldest = oldestOf(newest);
  if (Number(newest.version) <= known || oldest <= known) return;
  const needs = oldest === Number(newest.version) ? '' : ` and needs a program that knows at least ${oldest}`;
  throw new StoreRefused(
    `the database is from a newer version (its schema is ${newest.version}${needs}, this program knows up to ${known}): upgrade the program`,
  );
}

/** By the runtime's own hasher: the thread that migrates would load `node:crypto` for this alone, at every start. */
export function hashOf(migration: Migration): string {
  return new Bun.CryptoHasher('sha256').update(migration.sql).digest('hex');
}

function oldestOf({ version, oldest }: Pick<AppliedMigration, 'version' | 'oldest'>): number {
  return Number(oldest ?? version);
}
