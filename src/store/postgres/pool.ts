// A few connections for questions, beside the ones that commit. When the database goes away they are all dropped, so that
// no call waits on a connection that will never answer.

import { fault } from '../../faults/fault.ts';
import { assert } from '../../kit/assert.ts';
import type { Clock } from '../../kit/clock.ts';
import type { TimeLimits } from '../read.ts';
import type { Connect } from './connect.ts';
import { type Connection, type Query, type Rows, toRows } from './connection.ts';
import { ConnectionLost, explain, isReadOnly, isStalePlan, NoAnswer } from './errors.ts';
import { createSeats } from './seats.ts';

export interface Pool {
  /** Rejects with the fault `unavailable`. */
  ask(query: Query): Promise<Rows>;
  /** All questions see the same moment. Those that may take longer than usual leave a connection to the others. */
  askTogether(queries: readonly Query[], limits?: TimeLimits): Promise<Rows[]>;
  /** One transaction. If it rejects, it may have been committed nevertheless. */
  transact(queries: readonly Query[]): Promise<void>;
  /** Ends what is under way, and begins anew. */
  reset(): void;
  close(): Promise<void>;
}

export interface PoolOptions {
  clock: Clock;
  connect: Connect;
  connections: number;
  /** So many may have asked one connection at once. More than one only where everything that is asked is a quick read: it
   * stands in line behind the others', and is asked once more if the connection is lost, be it for one of them. */
  usersEach?: number;
  settings: Readonly<Record<string, string>>;
  statementMs: number;
  /** Why the database cannot be asked; undefined while it answers. */
  away(): string | undefined;
}

/** Opened with the first request, once for all callers. */
interface Line {
  connection: Connection | undefined;
  opening: Promise<Connection> | undefined;
}

/** The server ends a slow statement itself; this is for a server that has stopped. */
const GRACE_MS = 500;

export function createPool(options: PoolOptions): Pool {
  const { clock, connect, connections, usersEach = 1, settings, statementMs, away } = options;
  const limits = { statement_timeout: String(statementMs), idle_in_transaction_session_timeout: '10000' };
  const lines = Array.from({ length: connections }, (): Line => ({ connection: undefined, opening: undefined }));
  const seats = createSeats(clock, lines, usersEach);
  let isClosed = false;

  async function drop(line: Line): Promise<void> {
    const { connection } = line;
    line.connection = undefined;
    await connection?.close();
  }

  async function open(line: Line): Promise<Connection> {
    const connection = await connect({ ...limits, ...settings });
    line.connection = connection;
    if (isClosed) await drop(line);
    return connection;
  }

  function connected(line: Line): Connection | Promise<Connection> {
    if (line.connection?.isOpen) return line.connection;
    line.opening ??= open(line).finally(() => {
      line.opening = undefined;
    });
    return line.opening;
  }

  /** The time counts from here at the earliest, not from when it was asked for. */
  async function send(line: Line, queries: readonly Query[], withinMs: number): Promise<Rows[]> {
    const connection = await connected(line);
    return (await connection.send(queries, withinMs)).map(toRows);
  }

  async function sendOnce(ms: number, queries: readonly Query[], withinMs: number): Promise<Rows[]> {
    const why = away();
    if (why !== undefined) throw new NoAnswer(why);
    const isLong = ms > statementMs;
    const line = await seats.take(isLong, ms + GRACE_MS);
    try {
      return await send(line, queries, withinMs).catch(async (error: unknown) => {
        if (isStalePlan(error)) return send(line, queries, withinMs);
        if (!isReadOnly(error)) throw error;
        // Nothing was written; a session that begins now may be allowed to.
        await drop(line);
        return send(line, queries, withinMs);
      });
    } finally {
      seats.leave(line, isLong);
    }
  }

  async function within(ms: number, queries: readonly Query[], withinMs: number): Promise<Rows[]> {
    try {
      return await sendOnce(ms, queries, withinMs).catch((error: unknown) => {
        if (usersEach === 1 || !(error instanceof ConnectionLost)) throw error;
        return sendOnce(ms, queries, withinMs);
      });
    } catch (error) {
      throw fault('unavailable', { internal: `store: ${explain(error)}` });
    }
  }

  /** A line that goes on slowly is not given up, but nobody stands in it for ever. */
  function inTime<Value>(answer: Promise<Value>, ms: number): Promise<Value> {
    const { promise, reject } = Promise.withResolvers<never>();
    const refuse = () => reject(fault('unavailable', { internal: `store: no answer in ${ms} ms` }));
    return Promise.race([answer, promise]).finally(clock.after(ms, refuse));
  }

  function dropAll(): Promise<unknown> {
    seats.clear(new NoAnswer(away() ?? 'the connections are made anew'));
    return Promise.all(lines.map(drop));
  }

  return {
    async ask(query) {
      const withinMs = statementMs + GRACE_MS;
      const answer = within(statementMs, [query], withinMs);
      const [rows] = await (usersEach === 1 ? answer : inTime(answer, 2 * withinMs));
      assert(rows, 'every question is answered');
      return rows;
    },
    async askTogether(queries, { statementMs: longMs, wholeMs = Number.POSITIVE_INFINITY } = { statementMs }) {
      const withinMs = Math.min(longMs * queries.length, wholeMs) + GRACE_MS;
      const answers = await within(longMs, inSnapshot(queries, longMs), withinMs);
      return answers.slice(2, -1);
    },
    async transact(queries) {
      const whole = [{ sql: 'BEGIN' }, ...queries, { sql: 'COMMIT' }];
      await within(statementMs, whole, statementMs * queries.length + GRACE_MS);
    },
    reset: () => void dropAll(),
    async close() {
      isClosed = true;
      await dropAll();
    },
  };
}

/** Sent in one go: after an error the rest is refused, and the last one still ends the transaction. */
function inSnapshot(queries: readonly Query[], statementMs: number): Query[] {
  return [
    { sql: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' },
    { sql: `SET LOCAL statement_timeout = ${Math.trunc(statementMs)}` },
    ...queries,
    { sql: 'ROLLBACK' },
  ];
}
