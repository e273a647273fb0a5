// The only place that opens the file, so that durability is the same everywhere: WAL, and every commit is synced.

import { Database } from 'bun:sqlite';
import { assert } from '../../kit/assert.ts';
import type { KillOrder } from '../../kit/failpoint.ts';

const BUSY_TIMEOUT_MS = 5_000;
/** Enough for the working set of a busy service; SQLite's default of 2 MB would be reread continuously. */
const CACHE_KIB = 65_536;
/** More pages would delay a commit by a longer checkpoint; fewer would copy pages that many commits change more often. */
const CHECKPOINT_PAGES = 4_000;

export interface OpenOptions {
  readonly?: boolean;
  /** Only for tests that replay thousands of histories. */
  unsafeNoSync?: boolean;
  killOrder?: KillOrder | undefined;
  /** Only for tests: the size of the disk in pages. */
  maxPages?: number | undefined;
}

export function openDatabase(file: string, options: OpenOptions = {}): Database {
  const db = new Database(
    file,
    options.readonly
      ? { readonly: true, safeIntegers: true, strict: true }
      : { create: true, readwrite: true, safeIntegers: true, strict: true },
  );
  configure(db, options);
  return db;
}

/** Separate for the simulation, whose database is a copy in memory. */
export function configure(db: Database, options: OpenOptions = {}): void {
  db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  db.run('PRAGMA foreign_keys = ON');
  if (options.readonly) return;
  db.run('PRAGMA journal_mode = WAL');
  db.run(`PRAGMA cache_size = -${CACHE_KIB}`);
  db.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  if (options.maxPages !== undefined) db.run(`PRAGMA max_page_count = ${options.maxPages}`);
  db.run(`PRAGMA synchronous = ${options.unsafeNoSync ? 'OFF' : 'FULL'}`);
  const { synchronous } = db.query<{ synchronous: bigint }, []>('PRAGMA synchronous').get() ?? {};
  assert(options.unsafeNoSync || synchronous === 2n, 'SQLite runs with synchronous=FULL');
}
