// A few connections for single statements, beside the ones that commit. When the database goes away they are all dropped,
// so that nobody waits on a connection that will never answer.

import type { SQL } from 'bun';
import { fault } from '../../faults/fault.ts';
import type { Clock } from '../../kit/clock.ts';
import { createClient, type Query, type Rows } from './connection.ts';
import { explain, isReadOnly } from './errors.ts';

export interface Pool {
  /** Rejects with the fault `unavailable`. */
  ask(query: Query): Promise<Rows>;
  /** All questions see the same moment. */
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

/** The server ends a slow statement itself; this is for a server that has stopped. */
const GRACE_MS = 500;

export function createPool({ clock, url, connections, settings, statementMs, away }: PoolOptions): Pool {
  const limits = { statement_timeout: String(statementMs), idle_in_transaction_session_timeout: '10000' };
  const open = () => createClient({ url, max: connections, settings: { ...limits, ...settings } });
  let client = open();

  /** What is under way has so long to end. */
  const renew = (graceMs: number) => {
    const old = client;
    client = open();
    old.close({ timeout: graceMs / 1000 }).catch(() => undefined);
  };
  const reset = () => renew(0);

  async function within<Value>(ms: number, ask: (client: SQL) => Promise<Value>): Promise<Value> {
    const why = away();
    if (why !== undefined) throw fault('unavailable', { internal: `store: ${why}` });
    let asked = client;
    const cancel = clock.after(ms + GRACE_MS, () => asked === client && reset());
    try {
      return await ask(asked).catch((error: unknown) => {
        if (!isReadOnly(error)) throw error;
        // Nothing was written; a session that begins now may be allowed to.
        if (asked === client) renew(statementMs);
        asked = client;
        return ask(asked);
      });
    } catch (error) {
      throw fault('unavailable', { internal: `store: ${explain(error)}` });
    } finally {
      cancel();
    }
  }

  return {
    ask: ({ sql, values = [] }) => within(statementMs, (asked) => asked.unsafe<Rows>(sql, [...values])),
    askTogether: (queries, longMs = statementMs) => within(longMs, (asked) => inSnapshot(asked, queries, longMs)),
    reset,
    close: () => client.close({ timeout: 0 }).catch(() => undefined),
  };
}

async function inSnapshot(client: SQL, queries: readonly Query[], statementMs: number): Promise<Rows[]> {
  const reserved = await client.reserve();
  try {
    const [, , ...answers] = await Promise.all([
      reserved.unsafe<Rows>('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
      reserved.unsafe<Rows>(`SET LOCAL statement_timeout = ${Math.trunc(statementMs)}`),
      ...queries.map(({ sql, values = [] }) => reserved.unsafe<Rows>(sql, [...values])),
    ]);
    return answers;
  } finally {
    await reserved.unsafe('ROLLBACK').catch(() => undefined);
    await reserved.release();
  }
}
