// One batch, one transaction, one sync. If the database refuses the batch as a whole because of one operation's rows,
// each operation is tried alone, so that the bad one fails by itself.

import { type Database, SQLiteError } from 'bun:sqlite';
import { Book, type Pages, type PageTable } from '../book/book.ts';
import { type Decided, decideBatch } from '../book/decide.ts';
import type { Operation } from '../operations.ts';
import { type Columns, holdFrom, leaseFrom, walletFrom, windowFrom } from './read-rows.ts';
import { prepareWriteBook } from './write-book.ts';

export type CommitBatch = (operations: readonly Operation[]) => Decided[];

export function prepareCommitBatch(db: Database): CommitBatch {
  const load = prepareLoad(db);
  const writeBook = prepareWriteBook(db);
  const transaction = db.transaction((operations: readonly Operation[]) => {
    const book = new Book(load);
    const decided = decideBatch(book, operations);
    writeBook(book);
    return decided;
  });
  return function commitBatch(operations): Decided[] {
    try {
      return transaction.immediate(operations);
    } catch (error) {
      if (!isConstraint(error)) throw error;
      if (operations.length === 1) return [{ ok: false, error: 'a database constraint refused the operation' }];
      return operations.flatMap((operation) => commitBatch([operation]));
    }
  };
}

type Load = <T extends PageTable>(table: T, id: string) => Pages[T] | undefined;

function prepareLoad(db: Database): Load {
  const readers: { [T in PageTable]: (row: Columns) => Pages[T] } = {
    wallets: walletFrom,
    windows: windowFrom,
    holds: holdFrom,
    leases: leaseFrom,
  };
  const statements = {
    wallets: db.prepare<Columns, [string]>('SELECT * FROM wallets WHERE account_id = ?'),
    windows: db.prepare<Columns, [string]>('SELECT * FROM windows WHERE window_id = ?'),
    holds: db.prepare<Columns, [string]>('SELECT * FROM holds WHERE request_id = ?'),
    leases: db.prepare<Columns, [string]>('SELECT * FROM leases WHERE node_id = ?'),
  };
  return (table, id) => {
    const row = statements[table].get(id);
    return row ? readers[table](row) : undefined;
  };
}

function isConstraint(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code?.startsWith('SQLITE_CONSTRAINT') ?? false);
}
