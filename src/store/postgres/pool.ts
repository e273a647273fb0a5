// A few connections for questions, beside the ones that commit. When the database goes away they are all dropped, so that
// nobody waits on a connection that will never answer.

import type { SQL } from 'bun';
import { fault } from '../../faults/fault.ts';
import type { Clock } from '../../kit/clock.ts';
import { createClient, type Query, type Rows } from './connection.ts';
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

/** One connection, made when it is first asked. */
interface Line {
  client: SQL;
}

/** `onAnswer` is for each of several questions: the next one has its full time from there. */
type Ask<Value> = (client: SQL, onAnswer: () => void) => Promise<Value>;

/** The server ends a slow statement itself; this is for a server that has stopped. */
const GRACE_MS = 500;

export function createPool({ clock, url, connections, settings, statementMs, away }: PoolOptions): Pool {
  const limits = { statement_timeout: String(statementMs), idle_in_transaction_session_timeout: '10000' };
  const open = () => createClient({ url, max: 1, settings: { ...limits, ...settings } });
  const lines = Array.from({ length: connections }, (): Line => ({ client: open() }));
  const seats = createSeats(clock, lines);

  const close = (client: SQL) => client.close({ timeout: 0 }).catch(() => undefined);
  const renew = (line: Line) => {
    void close(line.client);
    line.client = open();
  };

  /** The time counts from here, not from when it was asked for. */
  async function askOn<Value>(line: Line, ms: number, ask: Ask<Value>): Promise<Value> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    let cancel = () => {};
    let isOver = false;
    const beginTime = () => {
      cancel();
      if (isOver) return;
      cancel = clock.after(ms + GRACE_MS, () => {
        renew(line);
        reject(new NoAnswer(`no answer in ${ms + GRACE_MS} ms`));
      });
    };
    beginTime();
    try {
      return await Promise.race([ask(line.client, beginTime), late]);
    } finally {
      isOver = true;
      cancel();
    }
  }

  async function within<Value>(ms: number, ask: Ask<Value>): Promise<Value> {
    const isLong = ms > statementMs;
    try {
      const why = away();
      if (why !== undefined) throw new NoAnswer(why);
      const line = await seats.take(isLong, ms + GRACE_MS);
      try {
        return await askOn(line, ms, ask).catch((error: unknown) => {
          if (!isReadOnly(error)) throw error;
          // Nothing was written; a session that begins now may be allowed to.
          renew(line);
          return askOn(line, ms, ask);
        });
      } finally {
        seats.leave(line, isLong);
      }
    } catch (error) {
      throw fault('unavailable', { internal: `store: ${explain(error)}` });
    }
  }

  const sendAway = () => seats.clear(new NoAnswer(away() ?? 'the connections are made anew'));

  return {
    ask: ({ sql, values = [] }) => within(statementMs, (client) => client.unsafe<Rows>(sql, [...values])),
    askTogether: (queries, longMs = statementMs) =>
      within(longMs, (client, onAnswer) => inSnapshot(client, queries, longMs, onAnswer)),
    reset() {
      sendAway();
      for (const line of lines) renew(line);
    },
    async close() {
      sendAway();
      await Promise.all(lines.map(({ client }) => close(client)));
    },
  };
}

async function inSnapshot(
  client: SQL,
  queries: readonly Query[],
  statementMs: number,
  onAnswer: () => void,
): Promise<Rows[]> {
  const reserved = await client.reserve();
  const send = async ({ sql, values = [] }: Query) => {
    const rows = await reserved.unsafe<Rows>(sql, [...values]);
    onAnswer();
    return rows;
  };
  try {
    const [, , ...answers] = await Promise.all(
      [
        { sql: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' },
        { sql: `SET LOCAL statement_timeout = ${Math.trunc(statementMs)}` },
        ...queries,
      ].map(send),
    );
    return answers;
  } finally {
    await reserved.unsafe('ROLLBACK').catch(() => undefined);
    await reserved.release();
  }
}
