// One batch, one transaction, one sync. Changes by the operations of every request are only journaled: they stay in the book
// and are posted to the tables together with those of many other batches. Any other write posts them first, in the same
// transaction. If the database refuses a batch as a whole because of one operation's rows, its halves are tried by
// themselves, and theirs, until the bad one fails alone.

import { type Database, SQLiteError } from 'bun:sqlite';
import { messageOf } from '../../kit/error-code.ts';
import { failpoint } from '../../kit/failpoint.ts';
import { Book } from '../book/book.ts';
import { type Decided, decideBatch, failInside } from '../book/decide.ts';
import type { Operation, OperationName } from '../operations.ts';
import { prepareJournal } from './journal.ts';
import { createPageCache } from './page-cache.ts';
import { postJournal } from './post-journal.ts';
import { prepareWriteBook } from './write-book.ts';

export type Commits = ReturnType<typeof prepareCommits>;

/** Number of operations posted at once: this takes some milliseconds, during which no other batch is answered. */
const MAX_JOURNALED = 512;

/**
 * Operations of every request, and those that write nothing. For others, a constraint of the tables may refuse rows, such as
 * a second credit with the same reference.
 */
const JOURNALED: ReadonlySet<OperationName> = new Set<OperationName>(['admit', 'previewAdmit', 'settle', 'release']);

/** `checkFile` is called in the first transaction after another process has written. If it throws, the batch is refused. */
export function prepareCommits(db: Database, checkFile = () => {}) {
  const cache = createPageCache(db);
  const journal = prepareJournal(db);
  const writeBook = prepareWriteBook(db);
  const transaction = db.transaction((act: () => unknown) => {
    begin();
    return act();
  });
  /** The tables' contents once the journal is posted. */
  let book = new Book(cache.load);
  /** The number of journaled operations; undefined if it must be read from the file. */
  let journaled: number | undefined;
  let postings = 0;
  let isChecked = false;
  let hasLostSync = false;

  function forget(): void {
    cache.forget();
    journal.forget();
    book = new Book(cache.load);
    journaled = undefined;
  }

  /** Another process may have posted this book or journaled other batches: then memory is discarded. */
  function begin(): void {
    if (!cache.isCurrent()) {
      forget();
      isChecked = false;
    }
    if (!isChecked) checkFile();
    isChecked = true;
    if (journaled !== undefined) return;
    if (postJournal(db) > 0) postings++;
    journaled = 0;
  }

  function writeOut(): void {
    writeBook(book);
    if (journaled) {
      failpoint('inside-posting');
      journal.clear();
      postings++;
    }
    cache.keep(book);
    book = new Book(cache.load);
    journaled = 0;
  }

  /** After a failure memory is discarded; the file is authoritative. */
  function transact<Result>(act: () => Result): Result {
    // After a failed sync it is unknown what the disk holds, and a later sync would not show it: no further write is confirmed.
    if (hasLostSync) throw new Error('a sync of the database failed: check the disk, then restart');
    try {
      return transaction.immediate(act) as Result;
    } catch (error) {
      forget();
      hasLostSync ||= isFailedSync(error);
      throw error;
    }
  }

  /** Whether anything was journaled. */
  function post(): boolean {
    const before = postings;
    transact(() => {
      if (journaled) writeOut();
    });
    return postings !== before;
  }

  function commit(operations: readonly Operation[], mayJournal: boolean): Decided[] {
    try {
      return transact(() => decide(operations, mayJournal));
    } catch (error) {
      if (!isConstraint(error)) throw error;
      // Earlier, acknowledged batches are posted first, so that a refused batch does not undo them.
      if (post()) return commit(operations, mayJournal);
      if (operations.length === 1) return [{ ok: false, error: 'a database constraint refused the operation' }];
      const middle = operations.length >> 1;
      const halves = [operations.slice(0, middle), operations.slice(middle)];
      return halves.flatMap(commitHalf);
    }
  }

  /** Each half is answered separately, because the disk may fill up between two halves. */
  function commitHalf(operations: readonly Operation[]): Decided[] {
    try {
      return commit(operations, false);
    } catch (error) {
      const why = messageOf(error);
      return operations.map(() => ({ ok: false, error: why, unavailable: true }));
    }
  }

  function decide(operations: readonly Operation[], mayJournal: boolean): Decided[] {
    const { steps } = book;
    book.beginBatch();
    const decided = decideBatch(book, operations);
    const total = (journaled ?? 0) + operations.length;
    if (book.steps !== steps) {
      const isJournaled = mayJournal && total < MAX_JOURNALED && operations.every(isOfRequest) && journal.append(book);
      if (isJournaled) journaled = total;
      else writeOut();
    } else if (!journaled) book = new Book(cache.load);
    failInside(operations);
    return decided;
  }

  return {
    /** The tables contain its commits when it returns. */
    commitBatch: (operations: readonly Operation[]) => commit(operations, false),
    /** The same, but the batch may be journaled only. */
    journalBatch: (operations: readonly Operation[]) => commit(operations, true),
    /** Posts all journaled batches, of any process, to the tables. */
    post: () => void post(),
    /** Runs in a transaction of its own, with everything posted; afterwards pages are read anew. */
    alone(act: () => void): void {
      try {
        transact(() => {
          if (journaled) writeOut();
          act();
        });
      } finally {
        forget();
      }
    },
  };
}

function isOfRequest({ name }: Operation): boolean {
  return JOURNALED.has(name);
}

function isFailedSync(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code?.endsWith('FSYNC') ?? false);
}

function isConstraint(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code?.startsWith('SQLITE_CONSTRAINT') ?? false);
}
