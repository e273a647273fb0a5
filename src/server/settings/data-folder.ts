// The data folder: the embedded database and the secrets created at the first start, readable by this user only.

import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../kit/random.ts';
import { noDatabase, StoreRefused } from '../../store/refusal.ts';
import { incomingOf } from '../../store/sqlite/backup.ts';

interface DataFolder {
  databaseFile: string;
  pepper: string;
}

const SECRET_BYTES = 32;

/** Throws StoreRefused with one line for the operator. */
export function openDataFolder(folder: string, givenPepper: string | undefined, random: Random): DataFolder {
  return usingFolder(folder, (databaseFile) => {
    refuseHalfRestored(databaseFile);
    const pepper = givenPepper ?? keptPepper(join(folder, 'pepper'), databaseFile, random);
    return { databaseFile, pepper };
  });
}

/** A new, empty database in place of an unfinished restore would look like the loss of all data. */
function refuseHalfRestored(databaseFile: string): void {
  const incoming = incomingOf(databaseFile);
  if (existsSync(databaseFile) || !existsSync(incoming)) return;
  throw new StoreRefused(
    `a restore was cut short before there was a database: run it again, or delete ${incoming} to begin without it`,
  );
}

/** Creates nothing. Throws like `openDataFolder`. */
export function hasDatabase(folder: string): boolean {
  return explaining(folder, () => statSync(databaseFileOf(folder), { throwIfNoEntry: false }) !== undefined);
}

/**
 * For commands that must not create one: a misspelt folder would look like an empty service. Throws like
 * `openDataFolder`.
 */
export function expectDatabase(folder: string): string {
  const file = databaseFileOf(folder);
  if (!hasDatabase(folder)) throw noDatabase(file);
  return file;
}

/** The token of the operator's port, created on first use. Throws like `openDataFolder`. */
export function keptAdminToken(folder: string, random: Random): string {
  return usingFolder(folder, () => {
    const file = join(folder, 'admin-token');
    if (!existsSync(file)) makeSecret(file, random);
    return readSecret(file, `the admin token in ${file} is damaged: delete it, and a new one is made`);
  });
}

/** Opens the folder without its secrets, to copy the database. Throws like `openDataFolder`. */
export function openDatabaseFolder(folder: string): string {
  return usingFolder(folder, (databaseFile) => databaseFile);
}

/**
 * The pepper that a server would use with this folder; undefined if it would create one. Throws like `openDataFolder`.
 */
export function findPepper(folder: string, givenPepper: string | undefined): string | undefined {
  const file = join(folder, 'pepper');
  return givenPepper ?? explaining(folder, () => (existsSync(file) ? readPepper(file) : undefined));
}

function usingFolder<Result>(folder: string, use: (databaseFile: string) => Result): Result {
  return explaining(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return use(databaseFileOf(folder));
  });
}

function databaseFileOf(folder: string): string {
  return join(folder, 'gateway.sqlite');
}

function explaining<Result>(folder: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(`cannot use the data folder ${folder}: ${folderProblem(error)}`);
  }
}

const NO_FOLDER = 'it, or a part of its path, is a file; set DATA_DIR to a folder';

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'nothing can be written there',
  ENOSPC: 'the disk is full',
};

function folderProblem(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return REASONS['code' in error ? String(error.code) : ''] ?? error.message;
}

function keptPepper(file: string, databaseFile: string, random: Random): string {
  // Checked first: the pepper is always created before the database.
  const hasDatabase = existsSync(databaseFile);
  if (!existsSync(file)) {
    if (hasDatabase) {
      throw new StoreRefused(
        `the pepper of the database is missing, and without it no key works: restore ${file} from a backup or set SECRETS_PEPPER`,
      );
    }
    makeSecret(file, random);
  }
  return readPepper(file);
}

function readPepper(file: string): string {
  return readSecret(file, `the pepper in ${file} is damaged: restore it from a backup`);
}

function readSecret(file: string, ifDamaged: string): string {
  chmodSync(file, 0o600);
  const secret = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]+$/.test(secret) || secret.length !== SECRET_BYTES * 2) throw new StoreRefused(ifDamaged);
  return secret;
}

/** Written atomically; of several processes the first wins. */
function makeSecret(file: string, random: Random): void {
  const hex = (bytes: number) => Buffer.from(random.bytes(bytes)).toString('hex');
  const draft = `${file}.${hex(8)}`;
  writeFileSync(draft, `${hex(SECRET_BYTES)}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    unlinkSync(draft);
  }
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
