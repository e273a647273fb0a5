// One connection that commits batches: everything a batch touches is read and locked in one round trip, decided here,
// written and committed in a second one.
//
// If the connection is lost during a COMMIT, it is unknown whether the batch was committed. Every batch first increments the
// row of this writer, so that row stays locked as long as the server may still be busy with the batch, and afterwards holds
// the number of the last committed batch. A query on a new connection then tells: either the batch was committed and its
// decided answers are valid, or it never happened and may be run again. Until that query is answered, its operations have no
// answer.

import { type Clock, sleep } from '../../kit/clock.ts';
import { type Decided, decideBatch, failInside } from '../book/decide.ts';
import type { Operation } from '../operations.ts';
import { type Answer, type Connection, type Query, toRows } from './connection.ts';
import { ConnectionLost, isLockTimeout, NoAnswer, NotCommitted } from './errors.ts';
import { loadPages, searchLocks } from './load-pages.ts';
import { writeBook } from './write-book.ts';

export type Writer = ReturnType<typeof createWriter>;

interface WriterOptions {
  clock: Clock;
  connect(): Promise<Connection>;
  /** For the query whether a batch was committed, which waits longer for a lock. */
  connectToAsk(): Promise<Connection>;
  /** Why the database cannot be asked; undefined while it answers. */
  away(): string | undefined;
  /** Resolves when the database answers; rejects when the store is closed. */
  whenUp(): Promise<void>;
  /** How many different statements a connection may have been sent before another one takes its place. */
  mostTexts?: number;
}

/** A connection and its row in `writers`. */
interface WriterConnection {
  connection: Connection;
  writerId: string;
  pid: number;
  batch: number;
  /** The statements that wrote. The server keeps each of them, with its plan, as long as the connection lasts. */
  texts: Set<string>;
}

/** The server's own limits on locks and statements are shorter; these are for a server that hangs. */
const LOAD_MS = 6_000;
const WRITE_MS = 6_000;
const SMALL_MS = 3_000;
const ASK_AGAIN_MS = 100;
/** Each mix of changed tables is a statement, of some 200 KB on the server: so a connection takes about 50 MB at most. */
const MAX_STATEMENTS = 256;

// Each statement must see what was committed while the one before it waited for a lock.
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
const NEW_WRITER = `INSERT INTO writers (writer_id, batch, touched_at) VALUES (gen_random_uuid()::text, 0, $1::bigint)
  RETURNING writer_id, pg_backend_pid() AS pid`;
const COUNT_BATCH =
  'UPDATE writers SET batch = $2::bigint, touched_at = $3::bigint WHERE writer_id = $1 RETURNING batch';
/**
 * Held until the commit, so that events are numbered in the order of commits: a reader that has seen a number has seen all
 * lower ones. All rows of the batch are locked before, so two batches never wait for each other.
 */
export const EVENTS_LOCK = 5_238_711_904_418;
const ORDER_EVENTS = { sql: `SELECT pg_advisory_xact_lock(${EVENTS_LOCK})` };
const LAST_BATCH = 'SELECT batch FROM writers WHERE writer_id = $1 FOR UPDATE';

export function createWriter(options: WriterOptions) {
  const { clock, connect, connectToAsk, away, whenUp, mostTexts = MAX_STATEMENTS } = options;
  let current: WriterConnection | undefined;

  async function openCurrent(): Promise<WriterConnection> {
    if (current?.connection.isOpen && current.texts.size < mostTexts) return current;
    const why = away();
    if (why !== undefined) throw new NoAnswer(why);
    await closeCurrent();
    const connection = await connect();
    const answer = await ask(connection, { sql: NEW_WRITER, values: [clock.now()] });
    if (!answer.ok) {
      await connection.close();
      throw answer.error;
    }
    const [row] = answer.rows;
    current = { connection, writerId: String(row?.writer_id), pid: Number(row?.pid), batch: 0, texts: new Set() };
    return current;
  }

  async function closeCurrent(): Promise<void> {
    if (!current?.connection.isOpen) return;
    await ask(current.connection, { sql: 'DELETE FROM writers WHERE writer_id = $1', values: [current.writerId] });
    await current.connection.close();
  }

  async function loadAndDecide({ connection, writerId, batch }: WriterConnection, operations: readonly Operation[]) {
    const loading = loadPages(operations);
    const count = { sql: COUNT_BATCH, values: [writerId, batch, clock.now()] };
    const answers = await connection.send([{ sql: BEGIN }, count, ...loading.queries], LOAD_MS);
    try {
      const [, counted, ...pages] = answers.map(toRows);
      if (counted?.length !== 1) throw new ConnectionLost('the row of this writer is gone');
      const book = loading.toBook(pages);
      const decided = decideBatch(book, operations);
      const write = writeBook(book);
      return { decided, write, before: book.added.events.length > 0 ? [ORDER_EVENTS] : [] };
    } catch (error) {
      const ended = await ask(connection, { sql: 'ROLLBACK' });
      if (!ended.ok || error instanceof ConnectionLost) await connection.close();
      throw error;
    }
  }

  async function wasCommitted({ writerId, pid, batch }: WriterConnection): Promise<boolean> {
    for (;;) {
      await whenUp();
      const connection = await connectToAsk().catch(() => undefined);
      if (connection) {
        const answer = await ask(connection, { sql: LAST_BATCH, values: [writerId] });
        // The server may still be working on the batch, because it has not noticed the lost connection.
        if (!answer.ok && isLockTimeout(answer.error)) {
          await ask(connection, { sql: 'SELECT pg_terminate_backend($1::int)', values: [pid] });
        }
        await connection.close();
        if (answer.ok) return Number(answer.rows[0]?.batch ?? 0) === batch;
      }
      await sleep(clock, ASK_AGAIN_MS);
    }
  }

  return {
    /** One transaction. If it throws, nothing was written: what it throws is the server's refusal, NoAnswer or NotCommitted. */
    async transact(operations: readonly Operation[]): Promise<Decided[]> {
      const used = await openCurrent();
      used.batch++;
      const { decided, write, before } = await loadAndDecide(used, operations);
      failInside(operations);
      const answers = await used.connection.send([...before, ...(write ? [write] : []), { sql: 'COMMIT' }], WRITE_MS);
      if (!write) return decided;
      used.texts.add(write.sql);
      const [written, committed] = answers.slice(-2);
      // The first error of the server ended the transaction: COMMIT then rolls back.
      for (const one of answers.slice(0, -1)) if (!one.ok && !(one.error instanceof NoAnswer)) throw one.error;
      if (!committed?.ok) {
        await used.connection.close();
        if (await wasCommitted(used)) return decided;
        throw new NotCommitted('the connection was lost before the batch was committed');
      }
      if (!written?.ok || committed.rows.command !== 'COMMIT') throw new NoAnswer('the batch was not sent');
      return decided;
    },
    /** The pages of these operations that another transaction has locked now; empty if that is unknown. */
    async findLocked(operations: readonly Operation[]): Promise<ReadonlySet<string>> {
      if (!current?.connection.isOpen) return new Set();
      const search = searchLocks(operations);
      const answers = await current.connection.send([{ sql: BEGIN }, ...search.queries, { sql: 'ROLLBACK' }], SMALL_MS);
      if (answers.some(({ ok }) => !ok)) return new Set();
      return search.toPages(answers.slice(1, -1).map(toRows));
    },
    close: closeCurrent,
  };
}

async function ask(connection: Connection, query: Query): Promise<Answer> {
  const [answer] = await connection.send([query], SMALL_MS);
  return answer ?? { ok: false, error: new NoAnswer('no answer') };
}
