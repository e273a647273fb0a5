// One batch, one transaction, one sync. If the database refuses the batch as a whole because of one operation's rows,
// its halves are tried by themselves, and theirs, until the bad one fails alone.

import { type Database, SQLiteError } from 'bun:sqlite';
import { Book, type Pages, type PageTable } from '../book/book.ts';
import { type Decided, decideBatch } from '../book/decide.ts';
import { failInside } from '../fail-inside.ts';
import type { Operation } from '../operations.ts';
import { decodeRow, KEYS, PAGES } from '../tables.ts';
import { createPageCache, type LoadPage } from './page-cache.ts';
import { prepareWriteBook } from './write-book.ts';

export interface Commits {
  commitBatch: CommitBatch;
  /** Something else has written: pages must be read anew. */
  forgetPages(): void;
}

export type CommitBatch = (operations: readonly Operation[]) => Decided[];

export function prepareCommits(db: Database): Commits {
  const cache = createPageCache(db, prepareLoad(db));
  const writeBook = prepareWriteBook(db);
  const transaction = db.transaction((operations: readonly Operation[]) => {
    cache.begin();
    const book = new Book(cache.load);
    const decided = decideBatch(book, operations);
    writeBook(book);
    failInside(operations);
    return { book, decided };
  });
  let hasLostSync = false;

  function commitBatch(operations: readonly Operation[]): Decided[] {
    // After a failed sync nobody knows what the disk holds, and a later sync would not tell: nothing is promised any more.
    if (hasLostSync) throw new Error('a sync of the database failed: check the disk, then restart');
    try {
      const { book, decided } = transaction.immediate(operations);
      cache.keep(book);
      return decided;
    } catch (error) {
      cache.forget();
      hasLostSync ||= isFailedSync(error);
      if (!isConstraint(error)) throw error;
      if (operations.length === 1) return [{ ok: false, error: 'a database constraint refused the operation' }];
      const middle = operations.length >> 1;
      return [operations.slice(0, middle), operations.slice(middle)].flatMap((half) => commitHalf(commitBatch, half));
    }
  }

  return { commitBatch, forgetPages: cache.forget };
}

/** Each half is answered by itself: the disk may fill up in between, and what was committed before stays so. */
function commitHalf(commitBatch: CommitBatch, operations: readonly Operation[]): Decided[] {
  try {
    return commitBatch(operations);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    return operations.map(() => ({ ok: false, error: why, unavailable: true }));
  }
}

type Loaders = { [T in PageTable]: (id: string) => Pages[T] | undefined };

function prepareLoad(db: Database): LoadPage {
  const byId = <T extends Exclude<PageTable, 'keyrings'>>(name: T) => {
    const table = PAGES[name];
    const statement = db.prepare<Record<string, unknown>, [string]>(
      `SELECT * FROM ${table.name} WHERE ${table.idColumn} = ?`,
    );
    return (id: string): Pages[T] | undefined => {
      const row = statement.get(id);
      return row ? (decodeRow(table, row) as Pages[T]) : undefined;
    };
  };
  const keysOf = db.prepare<Record<string, unknown>, [string]>(
    'SELECT * FROM keys WHERE account_id = ? ORDER BY created_at, key_id',
  );
  const loaders: Loaders = {
    wallets: byId('wallets'),
    windows: byId('windows'),
    budgets: byId('budgets'),
    holds: byId('holds'),
    leases: byId('leases'),
    cards: byId('cards'),
    replays: byId('replays'),
    traffic: byId('traffic'),
    settings: byId('settings'),
    incidents: byId('incidents'),
    loginNames: byId('loginNames'),
    logins: byId('logins'),
    keyrings: (accountId) => keysOf.all(accountId).map((row) => decodeRow(KEYS, row)),
  };
  return (table, id) => loaders[table](id);
}

function isFailedSync(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code?.endsWith('FSYNC') ?? false);
}

function isConstraint(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code?.startsWith('SQLITE_CONSTRAINT') ?? false);
}
