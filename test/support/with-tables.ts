// The tables of a database file as they are with its journal posted, whoever has it open: as a backup would have them.

import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupDatabase } from '../../src/store/sqlite/backup.ts';
import { prepareCommits } from '../../src/store/sqlite/commit-batch.ts';
import { postJournal } from '../../src/store/sqlite/post-journal.ts';

export function withTables<Result>(file: string, look: (db: Database) => Result): Result {
  return withFile(file, (db) => (isBehind(db) ? withCopy(file, look) : look(db)));
}

/**
 * The same for a file whose server can wait: the journal is posted in a transaction that is taken back, which is cheaper than
 * a copy. Where somebody writes at this moment it is a copy all the same.
 */
export function withOwnTables<Result>(file: string, look: (db: Database) => Result): Result {
  return withFile(file, (db) => (isBehind(db) ? withPosted(file, look) : look(db)));
}

function withPosted<Result>(file: string, look: (db: Database) => Result): Result {
  const db = new Database(file, { readwrite: true, safeIntegers: true });
  try {
    if (!begins(db)) return withCopy(file, look);
    postJournal(db);
    return look(db);
  } finally {
    if (db.inTransaction) db.run('ROLLBACK');
    // With its statements: the file would stay open until they are collected.
    db.close(true);
  }
}

function begins(db: Database): boolean {
  try {
    db.run('BEGIN IMMEDIATE');
    return true;
  } catch {
    return false;
  }
}

/** For a hand that writes: what was answered before is in the tables that it finds. */
export function openPosted(file: string): Database {
  const db = new Database(file, { readwrite: true, safeIntegers: true });
  db.run('PRAGMA busy_timeout = 5000');
  if (isBehind(db)) prepareCommits(db).post();
  return db;
}

function isBehind(db: Database): boolean {
  return db.query('SELECT 1 FROM journal').get() !== null;
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
