// Backup: SQLite makes a consistent copy of the database file while others write. Restore: replaces the file with a copy, and
// refuses while a server is running on it.

import { Database } from 'bun:sqlite';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { assert } from '../../kit/assert.ts';
import { codeOf, fileProblem, messageOf } from '../../kit/error-code.ts';
import { failpoint } from '../../kit/failpoint.ts';
import { wrongWallets } from '../audit-queries.ts';
import { AUDIT, type AuditReport, type AuditScope } from '../audit-read.ts';
import type { Difference } from '../reads.ts';
import { StoreRefused } from '../refusal.ts';
import { ACTIONS, type Action } from '../rows.ts';
import { type Commits, prepareCommits } from './commit-batch.ts';
import { prepareIsBehind } from './inspect.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { movedTo, refuseMoved } from './moved-mark.ts';
import { type OpenOptions, openDatabase } from './open-database.ts';
import { prepareAdd } from './write-book.ts';

export function backupDatabase(file: string, target: string): void {
  if (existsSync(target)) throw new StoreRefused(`${target} exists already`);
  const db = openDatabase(file, { readonly: true });
  try {
    // An empty file of ours, so that the copy is readable by this user alone, like the original.
    closeSync(openSync(target, 'wx', 0o600));
    db.query('VACUUM INTO ?').run(target);
    postCopy(target);
  } catch (error) {
    rmSync(target, { force: true });
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(`cannot write ${target}: ${messageOf(error)}`);
  } finally {
    db.close();
  }
}

/** Adds a backup to the log of actions of the database. It writes without a store, which would migrate an older database; the
 * first versions have no log of actions. Throws StoreRefused, whose message names the remedy. */
export function noteBackup(file: string, log: Action): void {
  useDatabase(file, {}, 'check the disk of the database', (db) => {
    const hasLog = db.query('SELECT 1 FROM sqlite_schema WHERE name = ?').get(ACTIONS.name);
    if (hasLog) prepareAdd(db, ACTIONS)([log]);
  });
}

/** Posts the journal in the copy; a journal of another version stays as it is. */
function postCopy(file: string): void {
  const db = new Database(file, { readwrite: true, safeIntegers: true, strict: true });
  try {
    if (isOfThisVersion(db) && prepareIsBehind(db)()) prepareCommits(db).post();
  } finally {
    db.close();
  }
}

function isOfThisVersion(db: Database): boolean {
  return db.query('SELECT version FROM schema_migrations').all().length === MIGRATIONS.length;
}

interface CopyFound {
  /** Undefined if it is of another version, whose queries differ. */
  differences: Difference[] | undefined;
  /** Where the accounts were moved to, if they were. */
  movedTo: string | undefined;
}

/** Reads a new copy and audits it. */
export function auditCopy(file: string): CopyFound {
  const otherwise = `copied to ${file}, but the copy cannot be read again: do not count on it`;
  return useDatabase(file, { readonly: true }, otherwise, (db) => ({
    differences: isOfThisVersion(db) ? audit(db, {}).differences : undefined,
    movedTo: movedTo(db),
  }));
}

export class CopyDisagrees extends StoreRefused {
  constructor(readonly differences: readonly Difference[]) {
    super('the copy does not pass the ledger audit');
  }
}

export interface Restored {
  differences: readonly Difference[];
  /** The accounts that are frozen because of them. */
  frozen: string[];
}

/** Lines for the log of actions in the restored database, written before it replaces the old one. */
interface RestoreLines {
  restored(differences: number): Action;
  /** For each account that is frozen. Undefined: a copy that does not pass the audit is refused. */
  frozen: ((accountId: string) => Action) | undefined;
}

/** A copy that does not pass the audit is refused, or restored with its wrong accounts frozen. `fingerprint`: of the current
 * pepper; a copy made with another one is refused. */
export function restoreDatabase(
  source: string,
  file: string,
  now: number,
  lines: RestoreLines,
  fingerprint?: string,
): Restored {
  if (!isFile(source)) throw new StoreRefused(`there is no file ${source}`);
  if (existsSync(file)) {
    if (realpathSync(source) === realpathSync(file)) throw new StoreRefused(`${source} is the database itself`);
    refuseReplacing(file, now);
  }
  const incoming = incomingOf(file);
  removeWithCompanions(incoming);
  let restored: Restored;
  let old: Database | undefined;
  try {
    copyIn(source, incoming);
    failpoint('inside-restore');
    restored = makeSound(incoming, now, lines, fingerprint);
    sync(incoming);
    failpoint('inside-restore');
    if (existsSync(file)) old = takeAlone(file);
  } catch (error) {
    removeWithCompanions(incoming);
    throw error;
  }
  try {
    replace(file, incoming);
  } finally {
    old?.close();
  }
  return restored;
}

/** After a crash at any point, there is one complete database, without files of SQLite that belong to the other. */
function replace(file: string, incoming: string): void {
  for (const name of companionsOf(file)) {
    rmSync(name, { force: true });
    failpoint('inside-restore');
  }
  renameSync(incoming, file);
  failpoint('inside-restore');
  sync(dirname(file));
}

/** The path where a copy is prepared before it replaces the database. */
export function incomingOf(file: string): string {
  return `${file}.restoring`;
}

/** Opens the old database exclusively and merges its WAL, because SQLite would apply a WAL to any file of that name. While the
 * copy was prepared, a server may have been started or the accounts moved. SQLite leaves WAL mode only if no other process
 * has the file open, whatever the leases say; a process that opens it from now on cannot write to it. */
function takeAlone(file: string): Database {
  let db: Database | undefined;
  try {
    db = openDatabase(file);
    refuseMoved(db);
    db.run('PRAGMA locking_mode = EXCLUSIVE');
    const left = db.query<{ journal_mode: string }, []>('PRAGMA journal_mode = DELETE').get();
    assert(left?.journal_mode === 'delete', 'SQLite has left WAL');
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(
      isBusy(error)
        ? `${file} is in use: a server or another command has it open; stop it, then restore again`
        : `${file} is damaged: move it away first, with the -wal beside it`,
    );
  }
}

function sync(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}

/** The last commits of a copied folder may be in its `-wal` file, which is copied, too. */
function copyIn(source: string, incoming: string): void {
  try {
    for (const end of ['', '-wal']) {
      if (!isFile(source + end)) continue;
      copyFileSync(source + end, incoming + end);
      chmodSync(incoming + end, 0o600);
    }
  } catch (error) {
    throw new StoreRefused(`cannot copy ${source}: ${fileProblem(error)}`);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

export function refuseWhileServing(file: string, now: number): void {
  useDatabase(file, { readonly: true }, notOurs(file), (db) => refuseServed(db, now));
}

/** A database that was moved to PostgreSQL is not replaced: an older copy would serve the same accounts a second time. */
function refuseReplacing(file: string, now: number): void {
  useDatabase(file, { readonly: true }, notOurs(file), (db) => {
    refuseServed(db, now);
    refuseMoved(db);
  });
}

const notOurs = (file: string) => `${file} is no database of this service: move it away first`;

/** Throws StoreRefused if a lease in the database is still valid. */
export function refuseServed(db: Database, now: number): void {
  if (!db.query('SELECT 1 FROM leases WHERE expires_at > ?').get(now)) return;
  throw new StoreRefused('a server is running on this database: stop it first, then wait 15 seconds if it was killed');
}

function makeSound(file: string, now: number, lines: RestoreLines, fingerprint: string | undefined): Restored {
  return useDatabase(file, {}, 'the copy is damaged, or not a database of this service', (db) => {
    const [row] = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all();
    if (row?.integrity_check !== 'ok') throw new StoreRefused('the copy is damaged');
    // Without this check, any SQLite file would be migrated to an empty database that passes the audit.
    if (!db.query('SELECT 1 FROM schema_migrations').get()) throw new Error('no schema');
    migrate(db, { isCopy: true });
    if (fingerprint !== undefined) refuseOtherPepper(db, fingerprint);
    const commits = prepareCommits(db);
    if (prepareIsBehind(db)()) commits.post();
    // No server runs on the restored file. Without leases, open holds are released at the next start.
    db.run('DELETE FROM leases');
    const { differences } = audit(db, {});
    if (differences.length > 0 && !lines.frozen) throw new CopyDisagrees(differences);
    commits.commitBatch([{ name: 'note', input: { log: lines.restored(differences.length) } }]);
    const frozen = lines.frozen ? freeze(commits, [...wrongWallets(differences).keys()], now, lines.frozen) : [];
    // Merges the WAL, so that the database is one file.
    db.run('PRAGMA journal_mode = DELETE');
    return { differences, frozen };
  });
}

/** A database on which no server was started has no fingerprint yet. */
function refuseOtherPepper(db: Database, fingerprint: string): void {
  const own = db.query<{ value: string }, []>(`SELECT value FROM settings WHERE name = 'pepper'`).get();
  if (own === null || own.value === fingerprint) return;
  throw new StoreRefused(
    'the copy was made with another pepper: none of its keys and cards would work, and the current database would be replaced; set the pepper of the copy first (SECRETS_PEPPER, or the file "pepper" in the data folder), or move the current database away',
  );
}

/** Returns the accounts that have a wallet, and were frozen. */
function freeze(
  { commitBatch }: Commits,
  accountIds: readonly string[],
  at: number,
  freezing: (accountId: string) => Action,
): string[] {
  const operations = accountIds.map((accountId) => ({
    name: 'freeze' as const,
    input: { accountId, frozen: true, byAudit: true, at, log: freezing(accountId) },
  }));
  const decided = commitBatch(operations);
  return accountIds.filter((_, index) => decided[index]?.ok);
}

/** An error thrown by the database itself means that the file is damaged or not a database. */
function useDatabase<Result>(
  file: string,
  options: OpenOptions,
  otherwise: string,
  use: (db: Database) => Result,
): Result {
  let db: Database | undefined;
  try {
    db = openDatabase(file, options);
    return use(db);
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(
      isBusy(error) ? `${file} is busy: another process writes to it, try again later` : otherwise,
    );
  } finally {
    db?.close();
  }
}

function isBusy(error: unknown): boolean {
  return codeOf(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** SQLite's files beside a database belong to it and move with it. */
function companionsOf(file: string): string[] {
  return [`${file}-wal`, `${file}-shm`, `${file}-journal`];
}

function removeWithCompanions(file: string): void {
  for (const name of [file, ...companionsOf(file)]) rmSync(name, { force: true });
}

/** The audit of a file that is open here, such as a copy. Nobody else writes to it meanwhile. */
export function audit(db: Database, scope: AuditScope): AuditReport {
  const answers = AUDIT.ask(scope).map(({ sql }) => db.query<Record<string, unknown>, []>(sql).all());
  return AUDIT.decode(answers, scope);
}
