// One batch, one transaction, one sync. A batch of the operations that every request makes is only journaled: its outcome
// stays in the book, and is posted to the tables together with that of many others. Every other write posts first, in its
// own transaction. If the database refuses a batch as a whole because of one operation's rows, its halves are tried by
// themselves, and theirs, until the bad one fails alone.

import { type Database, SQLiteError } from 'bun:sqlite';
import { messageOf } from '../../kit/error-code.ts';
import { failpoint } from '../../kit/failpoint.ts';
import { Book } from '../book/book.ts';
import { type Decided, decideBatch } from '../book/decide.ts';
import { failInside } from '../fail-inside.ts';
import type { Operation } from '../operations.ts';
import { encodeAnswers } from './hot-answers.ts';
import { prepareJournal } from './journal.ts';
import { prepareLoad } from './load-page.ts';
import { createPageCache } from './page-cache.ts';
import { createPostingCheck } from './postable.ts';
import { prepareWriteBook } from './write-book.ts';

export interface Commits {
  commitBatch: CommitBatch;
  /** A batch that came as a text: it may be journaled. */
  commitText(operations: readonly Operation[], came: CameAs): Answered;
  /** Brings the tables up to everything that was answered, whoever answered it. */
  post(): void;
  /** Runs in a transaction of its own, with everything posted; afterwards pages are read anew. */
  alone(act: () => void): void;
}

export type CommitBatch = (operations: readonly Operation[]) => Decided[];

export interface CameAs {
  id: number;
  text: string;
}

export interface Answered {
  decided: Decided[];
  /** The same as a text, if the batch came as one and they can be. */
  text?: string | undefined;
}

/** So many operations are posted at once: it takes some milliseconds, in which no other batch is answered. */
const MOST_JOURNALED = 512;

/** `checkFile`: called in a transaction before which another process has written; what it throws is refused. */
export function prepareCommits(db: Database, checkFile = () => {}): Commits {
  const cache = createPageCache(db, prepareLoad(db));
  const check = createPostingCheck(db);
  const journal = prepareJournal(db);
  const writeBook = prepareWriteBook(db);
  const transaction = db.transaction((act: () => unknown) => {
    begin();
    return act();
  });
  /** What the tables will say once the journal is posted. */
  let book = new Book(cache.load);
  /** How many of its operations are journaled; undefined if that is to be read. */
  let journaled: number | undefined;
  let postings = 0;
  let isChecked = false;
  let hasLostSync = false;

  function forget(): void {
    cache.forget();
    check.forget();
    book = new Book(cache.load);
    journaled = undefined;
  }

  /** Another process may have posted what is in the book here, or journaled what is not: then only the file counts. */
  function begin(): void {
    if (!cache.isCurrent()) {
      forget();
      isChecked = false;
    }
    if (!isChecked) checkFile();
    isChecked = true;
    if (journaled !== undefined) return;
    journaled = journal.replay(book);
    if (journaled > 0) writeOut();
  }

  function writeOut(): void {
    writeBook(book);
    if (journaled) {
      failpoint('K13');
      journal.clear();
      postings++;
    }
    cache.keep(book);
    check.forget();
    book = new Book(cache.load);
    journaled = 0;
  }

  /** What fails leaves nothing in memory: the file knows. */
  function transact<Result>(act: () => Result): Result {
    // After a failed sync nobody knows what the disk holds, and a later sync would not tell: nothing is promised any more.
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

  function commit(operations: readonly Operation[], came?: CameAs): Answered {
    try {
      return transact(() => decide(operations, came));
    } catch (error) {
      if (!isConstraint(error)) throw error;
      // What was answered before is posted apart from a batch that the tables refuse.
      if (post()) return commit(operations, came);
      if (operations.length === 1) {
        return { decided: [{ ok: false, error: 'a database constraint refused the operation' }] };
      }
      const middle = operations.length >> 1;
      const halves = [operations.slice(0, middle), operations.slice(middle)];
      return { decided: halves.flatMap((half) => commitHalf(commitBatch, half)) };
    }
  }

  function decide(operations: readonly Operation[], came: CameAs | undefined): Answered {
    const { steps } = book;
    const mark = {
      entries: book.added.entries.length,
      usage: book.added.usage.length,
      losses: book.added.losses.length,
    };
    const decided = decideBatch(book, operations);
    const text = came && encodeAnswers(came.id, decided);
    const total = (journaled ?? 0) + operations.length;
    if (book.steps !== steps) {
      if (came && text && total < MOST_JOURNALED && check.isPostable(book, mark, operations, decided)) {
        journal.append(came.text, text);
        journaled = total;
      } else writeOut();
    } else if (!journaled) book = new Book(cache.load);
    failInside(operations);
    return { decided, text };
  }

  const commitBatch: CommitBatch = (operations) => commit(operations).decided;

  return {
    commitBatch,
    commitText: commit,
    post: () => void post(),
    alone(act) {
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

/** Each half is answered by itself: the disk may fill up in between, and what was committed before stays so. */
function commitHalf(commitBatch: CommitBatch, operations: readonly Operation[]): Decided[] {
  try {
    return commitBatch(operations);
  } catch (error) {
    const why = messageOf(error);
    return operations.map(() => ({ ok: false, error: why, unavailable: true }));
  }
}

function isFailedSync(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code?.endsWith('FSYNC') ?? false);
}

function isConstraint(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code?.startsWith('SQLITE_CONSTRAINT') ?? false);
}
