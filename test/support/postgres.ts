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

/** A server that tests can break. */
export interface BreakableServer {
  port: number;
  /** Runs a statement as the superuser. */
  run(statement: string, database?: string): Promise<unknown[]>;
  /** Ends the server at once, as a crash does. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP to every process of the server: connections stay, answers do not come. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export interface TestPostgres extends BreakableServer {
  /** With the newest schema, unless it shall be empty, or a copy of one that nobody has open. */
  createDatabase(options?: { empty?: boolean; copyOf?: TestDatabase | undefined }): Promise<TestDatabase>;
  /** Resolves when somebody has come to a pg_sleep. */
  untilAsleep(): Promise<void>;
  /** Restarts this server with a standby, which every commit waits for from then on. */
  addStandby(): Promise<TestStandby>;
}

export interface TestStandby extends BreakableServer {
  /** Resolves when it takes writes. */
  promote(): Promise<void>;
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
const STANDBY = 'standby';
const FLAGS = ['-c', 'unix_socket_directories=', '-c', 'listen_addresses=127.0.0.1'];

/** A test run that is killed cannot clean up after itself: this waits for its end, then ends the server. */
const GUARD = `trap '' INT TERM HUP; while kill -0 "$0"; do sleep 1; done
  kill -INT "$(head -n 1 "$1/data/postmaster.pid")"; sleep 3; rm -rf "$1"`;

export async function startPostgres(): Promise<TestPostgres> {
  const port = await freePort();
  const server = await createPostgresServer(port, FLAGS);
  const control = controlServer(server, port);
  const standbys: TestStandby[] = [];
  const urlOf = (database: string) => urlAt(port, database);
  let count = 0;

  try {
    await control.start();
    await control.run(`CREATE DATABASE ${TEMPLATE}`);
    const connection = await openConnection({ url: urlOf(TEMPLATE), settings: {} }, systemClock);
    await migrate(connection);
    await connection.close();
  } catch (error) {
    await control.stop();
    throw error;
  }

  return {
    ...control,
    async untilAsleep() {
      const asleep = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
      await eventually('somebody sleeps', async () => (await control.run(asleep)).length > 0);
    },
    async createDatabase({ empty = false, copyOf } = {}) {
      const name = `test_${++count}`;
      const template = copyOf ? new URL(copyOf.url).pathname.slice(1) : empty ? 'template0' : TEMPLATE;
      await control.run(`CREATE DATABASE ${name} TEMPLATE ${template}`);
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
          await control.run(`DROP DATABASE ${name} WITH (FORCE)`);
        },
      };
    },
    async addStandby() {
      await within(STOP_WITHIN_MS, server.stop());
      const standbyPort = await freePort();
      const source = `host=127.0.0.1 port=${port} user=postgres password=password application_name=${STANDBY}`;
      const copy = server.copyAsStandby(standbyPort, [...FLAGS, '-c', `primary_conninfo=${source}`]);
      const standby = controlServer(copy, standbyPort);
      await control.start();
      await standby.start();
      await control.run(`ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
      await control.run('SELECT pg_reload_conf()');
      const following = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
      await eventually('the standby follows', async () => (await control.run(following)).length > 0);
      const added: TestStandby = {
        ...standby,
        async promote() {
          await standby.run('SELECT pg_promote()');
        },
      };
      standbys.push(added);
      return added;
    },
    async stop() {
      for (const standby of standbys) await standby.stop();
      await control.stop();
    },
  };
}

function controlServer(server: PostgresServer, port: number): BreakableServer {
  const { folder, pid } = server;
  let isPaused = false;
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
  return {
    port,
    run: (statement, database = 'postgres') => runOn(urlAt(port, database), statement),
    start: () => within(START_WITHIN_MS, startAgain(server)),
    async crash() {
      const processes = processesOf(pid());
      const stopped = server.stop();
      for (const one of processes) kill(one, 'SIGKILL');
      await stopped;
      isPaused = false;
    },
    pause() {
      isPaused = true;
      signal('SIGSTOP');
    },
    resume,
    async stop() {
      resume();
      await within(STOP_WITHIN_MS, server.stop()).catch(() => undefined);
      guard.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function urlAt(port: number, database: string): string {
  return `postgres://postgres:password@127.0.0.1:${port}/${database}`;
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
