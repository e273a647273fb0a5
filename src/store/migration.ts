// What a migration is, and which of them a database still needs: the same for both databases. How one is run is theirs.

import { StoreRefused } from './refusal.ts';

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** As the database remembers it. */
export interface AppliedMigration {
  version: number | bigint;
  hash: string;
}

/** Throws StoreRefused if the database has one that this program does not know, or knows differently. */
export function pendingMigrations(applied: readonly AppliedMigration[], migrations: readonly Migration[]): Migration[] {
  for (const row of applied) checkApplied(row, migrations);
  return migrations.slice(applied.length);
}

/** By the runtime's own hasher: the thread that migrates would load `node:crypto` for this alone, at every start. */
export function hashOf(migration: Migration): string {
  return new Bun.CryptoHasher('sha256').update(migration.sql).digest('hex');
}

function checkApplied({ version, hash }: AppliedMigration, migrations: readonly Migration[]): void {
  const known = migrations.find((migration) => migration.version === Number(version));
  if (!known) {
    throw new StoreRefused(
      `the database is from a newer version (its schema is ${version}, this program knows up to ${migrations.at(-1)?.version ?? 0}): upgrade the program`,
    );
  }
  if (hashOf(known) !== hash) throw new StoreRefused(`migration ${version} differs from the one this database had`);
}
