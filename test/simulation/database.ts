// The database that all nodes share: the real tables, statements and decisions on a SQLite database in memory, behind a
// network. A question may be lost on its way, and so may the answer after the commit; the disk may be slow or refuse.

import { Database } from 'bun:sqlite';
import { alarmSubject } from '../../src/kit/alarms.ts';
import type { Decided } from '../../src/store/book/decide.ts';
import { forgetOld, OF_ADDRESSES_BY_BYTES } from '../../src/store/forget-old.ts';
import type { Operation } from '../../src/store/operations.ts';
import type { ReadName } from '../../src/store/read-table.ts';
import type { RefusalBatch } from '../../src/store/refusals.ts';
import { type Commits, prepareCommits } from '../../src/store/sqlite/commit-batch.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { type AnswerRead, prepareReads } from '../../src/store/sqlite/prepare-reads.ts';
import { writeRefusals } from '../../src/store/sqlite/write-refusals.ts';

export interface DatabaseState {
  isAway: boolean;
  /** The disk refuses to write. */
  isFull: boolean;
  /** Milliseconds that each request takes at most. */
  slowness: number;
  /** The chance that a question is lost, and that an answer is. */
  loss: number;
}

export class SimulatedDatabase {
  readonly tables: Database;
  readonly state: DatabaseState = { isAway: false, isFull: false, slowness: 0, loss: 0 };
  #commits: Commits;
  #answerRead: AnswerRead;
  /** Answers of committed batches, by node and batch, as the row of a writer has them. */
  readonly #committed = new Map<string, Decided[]>();

  constructor() {
    this.tables = emptyTables();
    this.#commits = prepareCommits(this.tables);
    this.#answerRead = prepareReads(this.tables);
  }

  /** Nothing but what is committed survives. */
  restart(): void {
    this.#commits = prepareCommits(this.tables);
    this.#answerRead = prepareReads(this.tables);
  }

  /** Runs a batch once, however often it is sent. */
  commit(batchId: string, operations: readonly Operation[]): Decided[] {
    const before = this.#committed.get(batchId);
    if (before) return before;
    if (this.state.isFull) throw new Error('database or disk is full');
    const decided = this.#commits.journalBatch(structuredClone(operations) as Operation[]);
    this.#committed.set(batchId, decided);
    return decided;
  }

  read(name: ReadName, args: readonly unknown[]): unknown {
    this.#commits.post();
    return this.#answerRead(name, args);
  }

  post(): void {
    this.#commits.post();
  }

  recordAlarm({ name, fields }: { name: string; fields: object }, at: number): void {
    const statement = this.tables.query('INSERT INTO alarms (at, name, subject, fields) VALUES (?, ?, ?, ?)');
    statement.run(at, name, alarmSubject(fields), JSON.stringify(fields));
  }

  recordRefusals(batch: RefusalBatch): void {
    writeRefusals(this.tables, batch);
  }

  forget(before: number): void {
    this.#commits.alone(() => {
      for (const sql of forgetOld('?', OF_ADDRESSES_BY_BYTES)) this.tables.query(sql).run(before);
    });
  }
}

let empty: Uint8Array | undefined;

/** As the migrations leave it, without running them again. */
function emptyTables(): Database {
  if (!empty) {
    const db = new Database(':memory:', { safeIntegers: true, strict: true });
    db.run('PRAGMA foreign_keys = ON');
    migrate(db);
    empty = db.serialize();
    db.close();
  }
  const db = Database.deserialize(empty, { safeIntegers: true, strict: true } as never);
  db.run('PRAGMA foreign_keys = ON');
  return db;
}
