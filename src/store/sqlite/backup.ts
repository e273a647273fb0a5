// A consistent copy of the database file, taken by SQLite itself while others write; and the way back, which refuses to
// pull the file away under a server that still runs.

import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { StoreRefused } from '../refusal.ts';
import { audit } from './audit.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open-database.ts';

export function backupDatabase(file: string, target: string): void {
  if (!existsSync(file)) throw new StoreRefused(`there is no database at ${file}`);
  if (existsSync(target)) throw new StoreRefused(`${target} exists already`);
  const db = openDatabase(file, { readonly: true });
  try {
    db.query('VACUUM INTO ?').run(target);
  } catch (error) {
    rmSync(target, { force: true });
    throw new StoreRefused(`cannot write ${target}: ${error instanceof Error ? error.message : 'unknown error'}`);
  } finally {
    db.close();
  }
}

export function restoreDatabase(source: string, file: string, now: number): void {
  if (!existsSync(source)) throw new StoreRefused(`there is no file ${source}`);
  if (existsSync(file)) refuseWhileServing(file, now);
  const incoming = `${file}.restoring`;
  for (const name of withCompanions(incoming)) rmSync(name, { force: true });
  copyFileSync(source, incoming);
  try {
    checkSound(incoming);
  } catch (error) {
    for (const name of withCompanions(incoming)) rmSync(name, { force: true });
    throw error;
  }
  for (const name of withCompanions(file)) rmSync(name, { force: true });
  renameSync(incoming, file);
}

function refuseWhileServing(file: string, now: number): void {
  const db = openDatabase(file, { readonly: true });
  try {
    const live = db.query('SELECT 1 FROM leases WHERE expires_at > ?').get(now);
    if (live)
      throw new StoreRefused(
        'a server is running on this database: stop it first, then wait 15 seconds if it was killed',
      );
  } finally {
    db.close();
  }
}

function checkSound(file: string): void {
  let db: ReturnType<typeof openDatabase>;
  try {
    db = openDatabase(file);
  } catch {
    throw new StoreRefused('the copy is not a database of this service');
  }
  try {
    const { integrity_check } = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check').get() ?? {};
    if (integrity_check !== 'ok') throw new StoreRefused('the copy is damaged');
    migrate(db);
    const { differences } = audit(db, {});
    if (differences.length > 0) throw new StoreRefused('the copy does not pass the ledger audit');
    db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

/** WAL mode keeps two files beside the database; they belong to it and go with it. */
function withCompanions(file: string): string[] {
  return [file, `${file}-wal`, `${file}-shm`];
}
