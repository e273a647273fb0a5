// The store of several nodes: one PostgreSQL, on which every node commits in batches.

import { alarmSubject } from '../../kit/alarms.ts';
import { assert } from '../../kit/assert.ts';
import { type Clock, sleep } from '../../kit/clock.ts';
import { type BatchMeter, createBatcher } from '../batcher.ts';
import { databasePlace } from '../database-url.ts';
import { forgetOld } from '../forget-old.ts';
import { deleteUsage } from '../kept-usage.ts';
import { StoreRefused } from '../refusal.ts';
import type { Store } from '../store.ts';
import { boundWait } from './bound-wait.ts';
import { commitBatch } from './commit-batch.ts';
import { type Connect, createConnect } from './connect.ts';
import { explain, isTransient } from './errors.ts';
import { watchHealth } from './health.ts';
import { checkServer, migrate } from './migrate.ts';
import { createPool } from './pool.ts';
import { numbered, prepareReads } from './prepare-reads.ts';
import { separateLocked } from './separate-locked.ts';
import { writeRefusals } from './write-refusals.ts';
import { createWriter } from './writer.ts';

/** For callers that can do something else while the database cannot be reached. */
export interface StartWait {
  /** Logged once for the operator; from then on the connection is retried without end. */
  onAway(why: string): void;
  /** Ends the wait. */
  signal: AbortSignal;
}

interface PostgresOptions {
  url: string;
  clock: Clock;
  /** How many batches may be committed at once, each on a connection of its own. */
  writers?: number;
  patienceMs?: number | undefined;
  /** How long a database that does not answer yet is waited for. */
  startWithinMs?: number;
  /** Waits without end instead. */
  wait?: StartWait | undefined;
  /** Only for tests that replay thousands of histories. */
  unsafeNoSync?: boolean;
  meter?: BatchMeter | undefined;
}

/** While the server works on one batch, the next one is decided and encoded. */
const WRITERS = 2;
const START_WITHIN_MS = 10_000;
const START_AGAIN_MS = 200;
/** A schema upgrade that takes longer is logged. */
const UPGRADE_MS = 5_000;
const READ_CONNECTIONS = 3;
/** A key's look-up takes a fraction of a round trip, so this many callers share a connection. */
const READS_EACH = 64;
/** Two audits or reports at once, and one for a customer's usage meanwhile. */
const SLOW_READ_CONNECTIONS = 3;
const STATEMENT_MS = 2_000;

/**
 * Every wait has a limit, on the server, too. Rows are found by their keys, whatever the statistics of a new table suggest.
 * A writer waits for a lock much longer than a commit takes, but less than an admission may wait in the queue; then the
 * operation moves to the queue for locked rows. If a node hangs inside its transaction, the server ends the transaction and
 * releases its locks before waiting operations are refused. A transaction is idle between its two round trips, for the
 * milliseconds of a decision and one way to the server and back: 1.5 s is enough even if a packet is lost three times. If it
 * were not, the batch would be run again, as after any lost connection.
 */
const COMMIT_SETTINGS = {
  application_name: 'ai-gateway commits',
  statement_timeout: '5000',
  lock_timeout: '100',
  idle_in_transaction_session_timeout: '1500',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
};
/** Waits until the outcome of a batch is known. */
const ASK_SETTINGS = { ...COMMIT_SETTINGS, lock_timeout: '2000' };
const READ_SETTINGS = { application_name: 'ai-gateway reads', default_transaction_read_only: 'on' };
const UPKEEP_SETTINGS = { application_name: 'ai-gateway upkeep', lock_timeout: '2000' };
const MIGRATION_SETTINGS = { application_name: 'ai-gateway migration', statement_timeout: '60000' };

/** Rejects with StoreRefused if the database cannot be used. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, clock, writers: count = WRITERS, patienceMs, meter } = options;
  const connect = createConnect(url, clock);
  await prepareDatabase(options, connect);
  const away = () => health.away;
  const poolOf = (connections: number, settings: Readonly<Record<string, string>>, callersEach = 1) =>
    createPool({ clock, connect, connections, callersEach, settings, statementMs: STATEMENT_MS, away });
  const reads = poolOf(READ_CONNECTIONS, READ_SETTINGS, READS_EACH);
  // Without this query no key may be cached, so it must not wait behind lookups of keys.
  const pulses = poolOf(1, READ_SETTINGS, READS_EACH);
  const slowReads = poolOf(SLOW_READ_CONNECTIONS, READ_SETTINGS);
  const upkeep = poolOf(1, UPKEEP_SETTINGS);
  const pools = [reads, pulses, slowReads, upkeep];
  const health = watchHealth({
    clock,
    connect: (onLost) => connect({ application_name: 'ai-gateway health' }, onLost),
    onDown() {
      for (const pool of pools) pool.reset();
    },
  });
  const newWriter = () =>
    createWriter({
      clock,
      connect: () => connect(COMMIT_SETTINGS),
      connectToAsk: () => connect(ASK_SETTINGS),
      away,
      whenUp: () => health.whenUp(),
    });
  const writers = Array.from({ length: count }, newWriter);
  const lockedWriter = newWriter();
  const timing = { clock, patienceMs, meter };
  const idle = [...writers];
  const batcher = separateLocked({
    clock,
    usual: createBatcher({
      ...timing,
      maxRunning: count,
      async commit(operations) {
        const writer = idle.pop();
        assert(writer, 'every running batch has a writer');
        try {
          return await commitBatch(writer, operations);
        } finally {
          idle.push(writer);
        }
      },
    }),
    locked: createBatcher({ ...timing, commit: (operations) => commitBatch(lockedWriter, operations) }),
  });
  const bounded = boundWait(batcher.submit, clock, away);
  return {
    commit: bounded.commit,
    waiting: batcher.depth,
    read: prepareReads({ pool: reads, pulsePool: pulses, slowPool: slowReads }),
    async recordAlarm({ name, fields }, at) {
      await upkeep.ask({
        sql: 'INSERT INTO alarms (at, name, subject, fields) VALUES ($1, $2, $3, $4)',
        values: [at, name, alarmSubject(fields), JSON.stringify(fields)],
      });
    },
    async recordRefusals(batch) {
      await upkeep.transact(writeRefusals(batch, clock.now()));
    },
    async forget(before) {
      for (const sql of FORGET) await upkeep.ask({ sql, values: [before] });
    },
    async forgetUsage(before) {
      const deletions = deleteUsage(before);
      let next = deletions.next();
      while (!next.done) {
        const { sql, values } = numbered(next.value);
        const [row] = await upkeep.ask({
          sql: `WITH gone AS (${sql} RETURNING 1) SELECT count(*) AS n FROM gone`,
          values,
        });
        next = deletions.next(Number(row?.n ?? 0));
      }
      return next.value;
    },
    async close() {
      // While the database is unreachable nothing can be committed: running operations get no answer.
      if (health.away === undefined) await batcher.idle();
      bounded.close();
      await health.close();
      await Promise.all([...writers, lockedWriter, ...pools].map((one) => one.close()));
    },
  };
}

const FORGET = [...forgetOld('$1'), 'DELETE FROM writers WHERE touched_at < $1'];

async function prepareDatabase(options: PostgresOptions, connect: Connect): Promise<void> {
  const { url, clock, startWithinMs = START_WITHIN_MS, wait } = options;
  const until = wait ? Number.POSITIVE_INFINITY : clock.monotonic() + startWithinMs;
  let isReported = false;
  const reportAway = (why: string) => {
    if (!isReported) wait?.onAway(why);
    isReported = true;
  };
  for (;;) {
    try {
      return await prepareOnce(options, connect, reportAway);
    } catch (error) {
      if (error instanceof StoreRefused) throw error;
      const refused = cannotUse(url, error);
      if (!isTransient(error) || clock.monotonic() >= until || wait?.signal.aborted) throw refused;
      reportAway(refused.message);
      await sleep(clock, START_AGAIN_MS);
    }
  }
}

async function prepareOnce(
  options: PostgresOptions,
  connect: Connect,
  reportAway: (why: string) => void,
): Promise<void> {
  const { url, clock, unsafeNoSync = false } = options;
  const connection = await connect(MIGRATION_SETTINGS);
  let cancel = () => {};
  try {
    await checkServer(connection, unsafeNoSync);
    await migrate(connection, {
      onUpgrade(from, to) {
        const why = `the database at ${databasePlace(url)} is being upgraded from schema ${from} to ${to}`;
        cancel = clock.after(UPGRADE_MS, () => reportAway(why));
      },
    });
  } finally {
    cancel();
    await connection.close();
  }
}

export function cannotUse(url: string, error: unknown): StoreRefused {
  return new StoreRefused(`cannot use the database at ${databasePlace(url)}: ${explain(error)}`);
}
