// The tables of a database file as they are with its journal posted, whoever has it open: as a backup would have them.

import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupDatabase } from '../../src/store/sqlite/backup.ts';
import { prepareCommits } from '../../src/store/sqlite/commit-batch.ts';

export function withTables<Result>(file: string, look: (db: Database) => Result): Result {
  return isBehind(file) ? withCopy(file, look) : withFile(file, look);
}

/** For a hand that writes: what was answered before is in the tables that it finds. */
export function openPosted(file: string): Database {
  const db = new Database(file, { readwrite: true, safeIntegers: true });
  db.run('PRAGMA busy_timeout = 5000');
  if (isBehind(file)) prepareCommits(db).post();
  return db;
}

function isBehind(file: string): boolean {
  return withFile(file, (db) => db.query('SELECT 1 FROM journal').get() !== null);
}

function withCopy<Result>(file: string, look: (db: Database) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-copy-'));
  const copy = join(folder, 'copy.sqlite');
  try {
    backupDatabase(file, copy);
    return withFile(copy, look);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withFile<Result>(file: string, look: (db: Database) => Result): Result {
  const db = new Database(file, { readonly: true, safeIntegers: true });
  try {
    db.run('PRAGMA busy_timeout = 5000');
    return look(db);
  } finally {
    db.close();
  }
}
