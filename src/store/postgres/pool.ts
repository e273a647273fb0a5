// A few connections for questions, beside the ones that commit. When the database goes away they are all dropped, so that
// nobody waits on a connection that will never answer.

import { fault } from '../../faults/fault.ts';
import { assert } from '../../kit/assert.ts';
import type { Clock } from '../../kit/clock.ts';
import { type Connection, openConnection, type Query, type Rows, toRows } from './connection.ts';
import { explain, isReadOnly, NoAnswer } from './errors.ts';
import { createSeats } from './seats.ts';

export interface Pool {
  /** Rejects with the fault `unavailable`. */
  ask(query: Query): Promise<Rows>;
  /** All questions see the same moment. Each may take so long; those that may take longer than usual leave a connection to
   * the others. */
  askTogether(queries: readonly Query[], statementMs?: number): Promise<Rows[]>;
  /** Ends what is under way, and begins anew. */
  reset(): void;
  close(): Promise<void>;
}

export interface PoolOptions {
  clock: Clock;
  url: string;
  connections: number;
  settings: Readonly<Record<string, string>>;
  statementMs: number;
  /** Why the database cannot be asked; undefined while it answers. */
  away(): string | undefined;
}

/** Opened when somebody asks. */
interface Line {
  connection: Connection | undefined;
}

/** The server ends a slow statement itself; this is for a server that has stopped. */
const GRACE_MS = 500;

export function createPool({ clock, url, connections, settings, statementMs, away }: PoolOptions): Pool {
  const limits = { statement_timeout: String(statementMs), idle_in_transaction_session_timeout: '10000' };
  const lines = Array.from({ length: connections }, (): Line => ({ connection: undefined }));
  const seats = createSeats(clock, lines);
  let isClosed = false;

  async function drop(line: Line): Promise<void> {
    const { connection } = line;
    line.connection = undefined;
    await connection?.close();
  }

  async function connected(line: Line): Promise<Connection> {
    if (line.connection?.isOpen) return line.connection;
    line.connection = await openConnection({ url, settings: { ...limits, ...settings } }, clock);
    const { connection } = line;
    if (isClosed) await drop(line);
    return connection;
  }

  /** The time counts from here, not from when it was asked for. */
  async function send(line: Line, queries: readonly Query[], withinMs: number): Promise<Rows[]> {
    const connection = await connected(line);
    return (await connection.send(queries, withinMs)).map(toRows);
  }

  async function within(ms: number, queries: readonly Query[], withinMs: number): Promise<Rows[]> {
    const isLong = ms > statementMs;
    try {
      const why = away();
      if (why !== undefined) throw new NoAnswer(why);
      const line = await seats.take(isLong, ms + GRACE_MS);
      try {
        return await send(line, queries, withinMs).catch(async (error: unknown) => {
          if (!isReadOnly(error)) throw error;
          // Nothing was written; a session that begins now may be allowed to.
          await drop(line);
          return send(line, queries, withinMs);
        });
      } finally {
        seats.leave(line, isLong);
      }
    } catch (error) {
      throw fault('unavailable', { internal: `store: ${explain(error)}` });
    }
  }

  function dropAll(): Promise<unknown> {
    seats.clear(new NoAnswer(away() ?? 'the connections are made anew'));
    return Promise.all(lines.map(drop));
  }

  return {
    async ask(query) {
      const [rows] = await within(statementMs, [query], statementMs + GRACE_MS);
      assert(rows, 'every question is answered');
      return rows;
    },
    async askTogether(queries, longMs = statementMs) {
      const answers = await within(longMs, inSnapshot(queries, longMs), longMs * queries.length + GRACE_MS);
      return answers.slice(2, -1);
    },
    reset: () => void dropAll(),
    async close() {
      isClosed = true;
      await dropAll();
    },
  };
}

/** Sent in one go: after an error the rest is refused, and the last one ends the transaction all the same. */
function inSnapshot(queries: readonly Query[], statementMs: number): Query[] {
  return [
    { sql: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' },
    { sql: `SET LOCAL statement_timeout = ${Math.trunc(statementMs)}` },
    ...queries,
    { sql: 'ROLLBACK' },
  ];
}
