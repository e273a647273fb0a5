// A consistent copy of the database file, taken by SQLite itself while others write; and the way back, which refuses to
// pull the file away under a server that still runs.

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
import { codeOf, messageOf } from '../../kit/error-code.ts';
import { failpoint } from '../../kit/failpoint.ts';
import { fileTrouble } from '../../kit/file-trouble.ts';
import { wrongWallets } from '../audit-queries.ts';
import type { Difference } from '../reads.ts';
import { StoreRefused } from '../refusal.ts';
import type { Action } from '../rows.ts';
import { ADDITIONS } from '../tables.ts';
import { audit } from './audit.ts';
import { type Commits, prepareCommits } from './commit-batch.ts';
import { prepareIsBehind } from './is-behind.ts';
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

/** The line that the database keeps of a copy. It is written without a store, which would migrate a database of an older
 * version; the first ones have no log of actions. Throws StoreRefused with what to do. */
export function noteBackup(file: string, log: Action): void {
  useDatabase(file, {}, 'check the disk of the database', (db) => {
    const { actions } = ADDITIONS;
    const hasLog = db.query('SELECT 1 FROM sqlite_schema WHERE name = ?').get(actions.name);
    if (hasLog) prepareAdd(db, actions)([log]);
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
  /** Where the accounts of the database went, if they did. */
  movedTo: string | undefined;
}

/** The facts of a copy that was just made. */
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

/** For the log of actions of what is restored: they are in it before it takes its place. */
interface RestoreLines {
  restored(differences: number): Action;
  /** For each account that is frozen. Undefined: a copy that does not pass the audit is refused. */
  frozen: ((accountId: string) => Action) | undefined;
}

/** A copy that does not pass the audit is refused, or taken with its wrong accounts frozen. One of another pepper is refused
 * if the fingerprint of the one that is there is given. */
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

/** At every moment one of the two is there and whole, and nothing beside it that belongs to the other. */
function replace(file: string, incoming: string): void {
  for (const name of companionsOf(file)) {
    rmSync(name, { force: true });
    failpoint('inside-restore');
  }
  renameSync(incoming, file);
  failpoint('inside-restore');
  sync(dirname(file));
}

/** Where a copy is made ready before it takes the place of the database. */
export function incomingOf(file: string): string {
  return `${file}.restoring`;
}

/** The old database for this process alone until it is closed, with the commits that stood beside it folded in: they would
 * be applied to whatever has its name. A server may have been started, and the accounts moved, while the copy was made
 * ready. SQLite leaves WAL only if nobody else has the file open, whatever the leases say; and one that opens it
 * from now on cannot write to it, neither before another file has its name nor after. */
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

/** A copy of a folder may have its last commits in the file beside it: they belong to it. */
function copyIn(source: string, incoming: string): void {
  try {
    for (const end of ['', '-wal']) {
      if (!isFile(source + end)) continue;
      copyFileSync(source + end, incoming + end);
      chmodSync(incoming + end, 0o600);
    }
  } catch (error) {
    throw new StoreRefused(`cannot copy ${source}: ${fileTrouble(error)}`);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

export function refuseWhileServing(file: string, now: number): void {
  useDatabase(file, { readonly: true }, notOurs(file), (db) => refuseServed(db, now));
}

/** In the place of one that was moved, an older copy of it would serve accounts that live on in PostgreSQL. */
function refuseReplacing(file: string, now: number): void {
  useDatabase(file, { readonly: true }, notOurs(file), (db) => {
    refuseServed(db, now);
    refuseMoved(db);
  });
}

const notOurs = (file: string) => `${file} is no database of this service: move it away first`;

/** By the leases in it. */
export function refuseServed(db: Database, now: number): void {
  if (!db.query('SELECT 1 FROM leases WHERE expires_at > ?').get(now)) return;
  throw new StoreRefused('a server is running on this database: stop it first, then wait 15 seconds if it was killed');
}

function makeSound(file: string, now: number, lines: RestoreLines, fingerprint: string | undefined): Restored {
  return useDatabase(file, {}, 'the copy is damaged, or not a database of this service', (db) => {
    const [row] = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all();
    if (row?.integrity_check !== 'ok') throw new StoreRefused('the copy is damaged');
    // Any SQLite file, be it empty, could be migrated to a sound and empty one.
    if (!db.query('SELECT 1 FROM schema_migrations').get()) throw new Error('no schema');
    migrate(db, { isCopy: true });
    if (fingerprint !== undefined) refuseOtherPepper(db, fingerprint);
    const commits = prepareCommits(db);
    if (prepareIsBehind(db)()) commits.post();
    // The server that had them does not serve what is restored; without its lease its holds are released at the next start.
    db.run('DELETE FROM leases');
    const { differences } = audit(db, {});
    if (differences.length > 0 && !lines.frozen) throw new CopyDisagrees(differences);
    commits.commitBatch([{ name: 'note', input: { log: lines.restored(differences.length) } }]);
    const frozen = lines.frozen ? freeze(commits, [...wrongWallets(differences).keys()], now, lines.frozen) : [];
    // Everything into the one file, and nothing beside it.
    db.run('PRAGMA journal_mode = DELETE');
    return { differences, frozen };
  });
}

/** A copy that no server was started on yet has none. */
function refuseOtherPepper(db: Database, fingerprint: string): void {
  const own = db.query<{ value: string }, []>(`SELECT value FROM settings WHERE name = 'pepper'`).get();
  if (own === null || own.value === fingerprint) return;
  throw new StoreRefused(
    'the copy was made with another pepper than the one that is here: no key or card of it would work, and the database that is here would be gone; put the pepper of the copy in place first (SECRETS_PEPPER, or the file "pepper" in the data folder), or move the database away',
  );
}

/** Those that have a wallet. */
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
