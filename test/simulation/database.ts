// The database: the real tables, statements and decisions on a SQLite database in memory. Nodes that share it reach it over
// a network (node-store.ts), the only node of an embedded one through its threads (embedded-store.ts).

import { Database } from 'bun:sqlite';
import { alarmSubject } from '../../src/kit/alarms.ts';
import type { Decided } from '../../src/store/book/decide.ts';
import { forgetOld, OF_ADDRESSES_BY_BYTES } from '../../src/store/forget-old.ts';
import type { Operation } from '../../src/store/operations.ts';
import type { ReadName } from '../../src/store/read-table.ts';
import type { RefusalBatch } from '../../src/store/refusals.ts';
import { type Commits, prepareCommits } from '../../src/store/sqlite/commit-batch.ts';
import { prepareIsBehind } from '../../src/store/sqlite/inspect.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { configure } from '../../src/store/sqlite/open-database.ts';
import { type AnswerRead, prepareReads } from '../../src/store/sqlite/prepare-reads.ts';
import { writeRefusals } from '../../src/store/sqlite/write-book.ts';
import type { Committed, CommitWatch } from './commit-watch.ts';
import type { Dice } from './dice.ts';
import { FreeDays } from './free-days.ts';
import { KeyBudgets } from './key-budgets.ts';
import { MinuteLimits } from './minute-limits.ts';
import { OpenHolds } from './open-holds.ts';
import type { Violation } from './violation.ts';

export interface DatabaseState {
  isAway: boolean;
  /** The disk refuses to write. */
  isFull: boolean;
  /** Milliseconds that each request takes at most. */
  slowness: number;
  /** The chance that a question is lost, and that an answer is. */
  loss: number;
  /** The chance that a question arrives after its sender has given it up. */
  lateness: number;
  /** The chance that a write fails. */
  failures: number;
}

export const WELL: DatabaseState = { isAway: false, isFull: false, slowness: 0, loss: 0, lateness: 0, failures: 0 };

/** Of `PRAGMA synchronous`. */
const FULL = 2n;
const CHECKPOINT_COMMITS = 50;

export class SimulatedDatabase {
  readonly state: DatabaseState = { ...WELL };
  readonly minuteLimits = new MinuteLimits();
  readonly openHolds = new OpenHolds();
  readonly keyBudgets = new KeyBudgets();
  readonly freeDays = new FreeDays();
  readonly #watches: readonly CommitWatch[] = [this.minuteLimits, this.openHolds, this.keyBudgets, this.freeDays];
  readonly #unposted: Violation[] = [];
  readonly #dice: Dice;
  #tables: Database;
  /** What the disk has, if a commit of this connection does not wait for the disk. */
  #synced: Uint8Array | undefined;
  #unsynced = 0;
  #isBehind: () => boolean;
  #commits: Commits;
  #answerRead: AnswerRead;
  /** Answers of committed batches, by node and batch, as the row of a writer has them. */
  readonly #committed = new Map<string, Decided[]>();

  constructor(dice: Dice) {
    this.#dice = dice;
    this.#tables = openTables(emptyTables());
    this.#tables.run(REMEMBER_CURSORS);
    this.#isBehind = prepareIsBehind(this.#tables);
    this.#commits = prepareCommits(this.#tables);
    this.#answerRead = prepareReads(this.#tables);
  }

  get tables(): Database {
    return this.#tables;
  }

  /** Nothing but what is committed survives. */
  restart(): void {
    this.#isBehind = prepareIsBehind(this.#tables);
    this.#commits = prepareCommits(this.#tables);
    this.#answerRead = prepareReads(this.#tables);
  }

  /** Nothing but what is synced survives. */
  losePower(): void {
    if (this.#synced) {
      const cursors = this.#tables.query<CursorRow, []>('SELECT webhook_id, cursor_event_id FROM first_cursors').all();
      this.#tables = openTables(this.#synced);
      this.#tables.run(REMEMBER_CURSORS);
      const keep = this.#tables.query('INSERT INTO first_cursors VALUES (?, ?)');
      for (const { webhook_id, cursor_event_id } of cursors) keep.run(webhook_id, cursor_event_id);
      this.#unsynced = 0;
    }
    this.restart();
  }

  /** Runs a batch once, however often it is sent. */
  commit(batchId: string, operations: readonly Operation[]): Decided[] {
    const before = this.#committed.get(batchId);
    if (before) return before;
    const decided = this.write(operations);
    this.#committed.set(batchId, decided);
    return decided;
  }

  write(operations: readonly Operation[]): Decided[] {
    this.#useDisk();
    this.#beginCommit();
    const decided = this.#commits.journalBatch(structuredClone(operations) as Operation[]);
    for (const [index, operation] of operations.entries()) {
      const answer = decided[index];
      if (answer?.ok) this.#note({ ...operation, result: answer.result } as Committed);
    }
    return decided;
  }

  #note(operation: Committed): void {
    for (const watch of this.#watches) watch.committed(operation);
  }

  get reached(): Record<string, number> {
    return {
      ...this.minuteLimits.reached,
      ...this.openHolds.reached,
      ...this.keyBudgets.reached,
      ...this.freeDays.reached,
    };
  }

  /** What the second counts of the books have found so far. */
  get miscounted(): Violation[] {
    return [...this.#unposted, ...this.#watches.flatMap(({ violations }) => violations)];
  }

  read(name: ReadName, args: readonly unknown[]): unknown {
    this.#commits.post();
    return this.readTables(name, args);
  }

  /** Without what is only journaled. */
  readTables(name: ReadName, args: readonly unknown[]): unknown {
    return this.#answerRead(name, args);
  }

  isBehind(): boolean {
    return this.#isBehind();
  }

  postOnDisk(): void {
    this.#useDisk();
    this.post();
  }

  /** Each commit of `synchronous = FULL` is synced before it is answered; others are synced by a checkpoint. */
  #beginCommit(): void {
    const row = this.#tables.query<{ synchronous: bigint }, []>('PRAGMA synchronous').get();
    if (row?.synchronous === FULL) return;
    if (this.#unsynced++ % CHECKPOINT_COMMITS === 0) this.#synced = this.#tables.serialize();
  }

  #useDisk(): void {
    if (this.state.isFull) throw new Error('database or disk is full');
    if (this.#dice.isLuck(this.state.failures)) throw new Error('disk I/O error');
  }

  /** By the simulation itself, when no disk fails: what was acknowledged must not be refused by the tables. */
  check(): void {
    try {
      this.post();
    } catch (error) {
      this.#unposted.push({ invariant: 'what was acknowledged can be written to the tables', detail: `${error}` });
    }
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

interface CursorRow {
  webhook_id: string;
  cursor_event_id: bigint;
}

/** The last event before each webhook was created: later ones are sent to it. */
const REMEMBER_CURSORS = `
  CREATE TEMP TABLE first_cursors (webhook_id TEXT PRIMARY KEY, cursor_event_id INTEGER);
  CREATE TEMP TRIGGER webhook_created AFTER INSERT ON webhooks
  BEGIN INSERT OR IGNORE INTO first_cursors VALUES (new.webhook_id, new.cursor_event_id); END`;

let empty: Uint8Array | undefined;

/** As the migrations leave it, without running them again. */
function emptyTables(): Uint8Array {
  if (!empty) {
    const db = new Database(':memory:', { safeIntegers: true, strict: true });
    db.run('PRAGMA foreign_keys = ON');
    migrate(db);
    empty = db.serialize();
    db.close();
  }
  return empty;
}

/** With the settings that the service gives its connection. */
function openTables(content: Uint8Array): Database {
  const db = Database.deserialize(content, { safeIntegers: true, strict: true } as never);
  configure(db);
  return db;
}
