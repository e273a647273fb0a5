// A few connections for queries, beside the ones that commit. When the database goes away they are all closed, so that no
// call waits on a connection that will never answer.

import { fault } from '../../faults/fault.ts';
import { assert } from '../../kit/assert.ts';
import type { Clock } from '../../kit/clock.ts';
import type { TimeLimits } from '../read.ts';
import type { Connect } from './connect.ts';
import { type Connection, type Query, type Rows, toRows } from './connection.ts';
import { ConnectionLost, explain, isReadOnly, isStalePlan, NoAnswer } from './errors.ts';

export type Pool = ReturnType<typeof createPool>;

export interface PoolOptions {
  clock: Clock;
  connect: Connect;
  connections: number;
  /**
   * How many callers may use one connection at once. More than one only if all queries are quick reads: a query waits behind
   * those of the other callers, and is sent once more if the connection is lost, even because of one of them.
   */
  callersEach?: number;
  settings: Readonly<Record<string, string>>;
  statementMs: number;
  /** Why the database cannot be asked; undefined while it answers. */
  away(): string | undefined;
}

/** Its connection is opened with the first query, once for all callers. */
interface Slot {
  connection: Connection | undefined;
  opening: Promise<Connection> | undefined;
}

/** The server ends a slow statement itself; this is for a server that has stopped. */
const GRACE_MS = 500;

export function createPool(options: PoolOptions) {
  const { clock, connect, connections, callersEach = 1, settings, statementMs, away } = options;
  const limits = { statement_timeout: String(statementMs), idle_in_transaction_session_timeout: '10000' };
  const slots = Array.from({ length: connections }, (): Slot => ({ connection: undefined, opening: undefined }));
  const queue = createConnectionSlots(clock, slots, callersEach);
  let isClosed = false;

  async function closeSlot(slot: Slot): Promise<void> {
    const { connection } = slot;
    slot.connection = undefined;
    await connection?.close();
  }

  async function open(slot: Slot): Promise<Connection> {
    const connection = await connect({ ...limits, ...settings });
    slot.connection = connection;
    if (isClosed) await closeSlot(slot);
    return connection;
  }

  function connected(slot: Slot): Connection | Promise<Connection> {
    if (slot.connection?.isOpen) return slot.connection;
    slot.opening ??= open(slot).finally(() => {
      slot.opening = undefined;
    });
    return slot.opening;
  }

  /** The time limit does not include the wait for a slot. */
  async function send(slot: Slot, queries: readonly Query[], withinMs: number): Promise<Rows[]> {
    const connection = await connected(slot);
    return (await connection.send(queries, withinMs)).map(toRows);
  }

  async function sendOnce(ms: number, queries: readonly Query[], withinMs: number): Promise<Rows[]> {
    const why = away();
    if (why !== undefined) throw new NoAnswer(why);
    const isLong = ms > statementMs;
    const slot = await queue.acquire(isLong, ms + GRACE_MS);
    try {
      return await send(slot, queries, withinMs).catch(async (error: unknown) => {
        if (isStalePlan(error)) return send(slot, queries, withinMs);
        if (!isReadOnly(error)) throw error;
        // Nothing was written; a session that begins now may be allowed to.
        await closeSlot(slot);
        return send(slot, queries, withinMs);
      });
    } finally {
      queue.release(slot, isLong);
    }
  }

  async function within(ms: number, queries: readonly Query[], withinMs: number): Promise<Rows[]> {
    try {
      return await sendOnce(ms, queries, withinMs).catch((error: unknown) => {
        if (callersEach === 1 || !(error instanceof ConnectionLost)) throw error;
        return sendOnce(ms, queries, withinMs);
      });
    } catch (error) {
      throw fault('unavailable', { internal: `store: ${explain(error)}` });
    }
  }

  /** A slow shared connection is kept, but the wait of each caller is bounded. */
  function inTime<Value>(answer: Promise<Value>, ms: number): Promise<Value> {
    const { promise, reject } = Promise.withResolvers<never>();
    const refuse = () => reject(fault('unavailable', { internal: `store: no answer in ${ms} ms` }));
    return Promise.race([answer, promise]).finally(clock.after(ms, refuse));
  }

  function closeAll(): Promise<unknown> {
    queue.rejectWaiting(new NoAnswer(away() ?? 'the connections are made anew'));
    return Promise.all(slots.map(closeSlot));
  }

  return {
    /** Rejects with the fault `unavailable`. */
    async ask(query: Query): Promise<Rows> {
      const withinMs = statementMs + GRACE_MS;
      const answer = within(statementMs, [query], withinMs);
      const [rows] = await (callersEach === 1 ? answer : inTime(answer, 2 * withinMs));
      assert(rows, 'every query is answered');
      return rows;
    },
    /** All queries read one snapshot. Those that may take longer than usual leave a connection to the others. */
    async askTogether(queries: readonly Query[], most: TimeLimits = { statementMs }): Promise<Rows[]> {
      const { statementMs: longMs, wholeMs = Number.POSITIVE_INFINITY } = most;
      const withinMs = Math.min(longMs * queries.length, wholeMs) + GRACE_MS;
      const answers = await within(longMs, inSnapshot(queries, longMs), withinMs);
      return answers.slice(2, -1);
    },
    /** One transaction. If it rejects, it may have been committed nevertheless. */
    async transact(queries: readonly Query[]): Promise<void> {
      const whole = [{ sql: 'BEGIN' }, ...queries, { sql: 'COMMIT' }];
      await within(statementMs, whole, statementMs * queries.length + GRACE_MS);
    },
    /** Closes all connections and rejects running queries. The next query opens new connections. */
    reset: () => void closeAll(),
    async close(): Promise<void> {
      isClosed = true;
      await closeAll();
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

interface Waiting<Slot> {
  isLong: boolean;
  resolve(slot: Slot): void;
  reject(error: NoAnswer): void;
}

/**
 * Assigns a few connections to callers. If each connection has one caller, no answer waits behind the query of another, and
 * giving up a connection affects no other caller. If it has many, as many queries are sent at once. Long queries never use
 * all slots: one is reserved for other queries, in the order of their requests.
 */
function createConnectionSlots<Slot>(clock: Clock, slots: readonly Slot[], callersEach: number) {
  const callers = new Map(slots.map((slot) => [slot, 0]));
  const mostLong = Math.max(1, slots.length - 1);
  const waiting = new Set<Waiting<Slot>>();
  let long = 0;

  /** The slot with the fewest callers; among equals the first, so that a quiet pool keeps few connections open. */
  function takeFree(): Slot | undefined {
    let found: Slot | undefined;
    let fewest = callersEach;
    for (const [slot, count] of callers) {
      if (count >= fewest) continue;
      found = slot;
      fewest = count;
    }
    if (found !== undefined) callers.set(found, fewest + 1);
    return found;
  }

  function serveWaiting(): void {
    for (const one of waiting) {
      if (one.isLong && long >= mostLong) continue;
      const slot = takeFree();
      if (slot === undefined) return;
      waiting.delete(one);
      if (one.isLong) long++;
      one.resolve(slot);
    }
  }

  return {
    /** Rejects with NoAnswer if none becomes free in time, or with what `rejectWaiting` was given. */
    acquire(isLong: boolean, withinMs: number): Promise<Slot> {
      const { promise, resolve, reject } = Promise.withResolvers<Slot>();
      const one = { isLong, resolve, reject };
      waiting.add(one);
      serveWaiting();
      if (!waiting.has(one)) return promise;
      const cancel = clock.after(withinMs, () => {
        waiting.delete(one);
        reject(new NoAnswer(`no connection was free in ${withinMs} ms`));
      });
      return promise.finally(cancel);
    },
    release(slot: Slot, isLong: boolean): void {
      if (isLong) long--;
      callers.set(slot, (callers.get(slot) ?? 1) - 1);
      serveWaiting();
    },
    rejectWaiting(error: NoAnswer): void {
      const rejected = [...waiting];
      waiting.clear();
      for (const { reject } of rejected) reject(error);
    },
  };
}
