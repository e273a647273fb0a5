// A real PostgreSQL for tests, from npm, with fsync on. Databases are copied from a template that has the schema.

import { rmSync } from 'node:fs';
import { SQL } from 'bun';
import { systemClock } from '../../src/kit/clock.ts';
import { openConnection } from '../../src/store/postgres/connection.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { childProcesses } from './child-processes.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { createPostgresServer, type PostgresServer } from './postgres-server.ts';

export interface TestDatabase {
  url: string;
  /** As the database's owner, beside the store; integers as bigint. */
  sql<Row = Record<string, unknown>>(query: string, ...values: unknown[]): Promise<Row[]>;
  /** A hand that should not be there: triggers and references do not hold it back. */
  plant(script: string): Promise<void>;
  drop(): Promise<void>;
}

export interface TestPostgres {
  port: number;
  /** With the newest schema, unless it shall be empty. */
  createDatabase(options?: { empty?: boolean }): Promise<TestDatabase>;
  /** Resolves when somebody has come to a pg_sleep. */
  untilAsleep(): Promise<void>;
  /** Ends the server at once, as a crash does. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP to every process of the server: connections stay, answers do not come. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** What files need that leave the server itself alone. */
export interface TestDatabases extends Pick<TestPostgres, 'port' | 'createDatabase' | 'untilAsleep'> {
  /** Drops what is left of them. */
  stop(): Promise<void>;
}

/** For what hangs, as are the limits of tests; a slow machine must not come near it. */
const START_WITHIN_MS = 100_000;
const STOP_WITHIN_MS = 30_000;
const START_AGAIN_MS = 100;
const TEMPLATE = 'with_schema';
const FLAGS = ['-c', 'unix_socket_directories=', '-c', 'listen_addresses=127.0.0.1'];

/** A test run that is killed cannot clean up after itself: this waits for its end, then ends the server. */
const GUARD = `trap '' INT TERM HUP; while kill -0 "$0"; do sleep 1; done
  kill -INT "$(head -n 1 "$1/data/postmaster.pid")"; sleep 3; rm -rf "$1"`;

export async function startPostgres(): Promise<TestPostgres> {
  const port = await freePort();
  const server = await createPostgresServer(port, FLAGS);
  const { folder, pid } = server;
  const urlOf = (database: string) => `postgres://postgres:password@127.0.0.1:${port}/${database}`;
  let count = 0;
  let isPaused = false;
  const start = () => within(START_WITHIN_MS, startAgain(server));
  const guard = Bun.spawn(['sh', '-c', GUARD, String(process.pid), folder], { stdio: ['ignore', 'ignore', 'ignore'] });
  guard.unref();
  /** The first process before all others: then it starts no more of them. */
  const signal = (name: NodeJS.Signals) => {
    const first = pid();
    if (first !== undefined) kill(first, name);
    for (const one of processesOf(first)) kill(one, name);
  };
  const resume = () => {
    if (isPaused) signal('SIGCONT');
    isPaused = false;
  };

  const end = async () => {
    await within(STOP_WITHIN_MS, server.stop()).catch(() => undefined);
    guard.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    await start();
    await runOn(urlOf('postgres'), `CREATE DATABASE ${TEMPLATE}`);
    const connection = await openConnection({ url: urlOf(TEMPLATE), settings: {} }, systemClock);
    await migrate(connection);
    await connection.close();
  } catch (error) {
    await end();
    throw error;
  }

  return {
    port,
    async untilAsleep() {
      const asleep = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
      await eventually('somebody sleeps', async () => (await runOn(urlOf('postgres'), asleep)).length > 0);
    },
    async createDatabase({ empty = false } = {}) {
      const name = `test_${++count}`;
      await runOn(urlOf('postgres'), `CREATE DATABASE ${name} TEMPLATE ${empty ? 'template0' : TEMPLATE}`);
      const client = new SQL(urlOf(name), { max: 1, bigint: true, database: name });
      return {
        url: urlOf(name),
        sql: async (query, ...values) => [...(await client.unsafe(query, values))] as never,
        async plant(script) {
          await client
            .unsafe(`SET session_replication_role = replica; ${script}; RESET session_replication_role`)
            .simple();
        },
        async drop() {
          await client.close({ timeout: 0 });
          await runOn(urlOf('postgres'), `DROP DATABASE ${name} WITH (FORCE)`);
        },
      };
    },
    async crash() {
      const processes = processesOf(pid());
      const stopped = server.stop();
      for (const one of processes) kill(one, 'SIGKILL');
      await stopped;
    },
    start,
    pause() {
      isPaused = true;
      signal('SIGSTOP');
    },
    resume,
    async stop() {
      resume();
      await end();
    },
  };
}

let shared: Promise<TestPostgres> | undefined;

/** Databases on one server for all files that a process runs; the guard ends it with the process. */
export async function sharePostgres(): Promise<TestDatabases> {
  shared ??= startPostgres();
  const server = await shared.catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
  const databases = new Set<TestDatabase>();
  return {
    port: server.port,
    untilAsleep: server.untilAsleep,
    async createDatabase(options) {
      const database = await server.createDatabase(options);
      const own: TestDatabase = {
        ...database,
        async drop() {
          databases.delete(own);
          await database.drop();
        },
      };
      databases.add(own);
      return own;
    },
    async stop() {
      for (const database of databases) await database.drop();
    },
  };
}

/** After a crash the last of its processes may still hold the memory that the next server wants. */
async function startAgain(server: PostgresServer): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await server.start();
    } catch (error) {
      if (attempt === 50) throw error;
      await Bun.sleep(START_AGAIN_MS);
    }
  }
}

async function runOn(url: string, statement: string): Promise<unknown[]> {
  const client = new SQL(url, { max: 1, database: new URL(url).pathname.slice(1) });
  try {
    return await client.unsafe(statement);
  } finally {
    await client.close();
  }
}

/** The server's first process and every one it has started. */
function processesOf(pid: number | undefined): number[] {
  if (pid === undefined) throw new Error('PostgreSQL does not run');
  return [pid, ...childProcesses(pid)];
}

function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has gone by itself.
  }
}

async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`PostgreSQL took longer than ${ms} ms`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
