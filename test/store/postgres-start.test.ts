// Opening a PostgreSQL: what it must be, who prepares it, and what is said when it cannot be used.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { POSTGRES_SCHEMA, SCHEMA_HEAD } from '../../scripts/generate.ts';
import { dumpPostgresSchema } from '../../scripts/postgres-schema.ts';
import { DAY_MS, MINUTE_MS, systemClock } from '../../src/kit/clock.ts';
import type { Task } from '../../src/kit/timer-lists.ts';
import { openConnection } from '../../src/store/postgres/connection.ts';
import { NoAnswer } from '../../src/store/postgres/errors.ts';
import { MIGRATION_LOCK, migrate } from '../../src/store/postgres/migrate.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrations/index.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { StoreRefused } from '../../src/store/refusal.ts';
import { migrate as migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { beforeProfit, checkUsedBefore, usedBefore } from '../support/before-profit.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { beforeChains, checkHeldBefore, heldBefore } from '../support/held-before-chains.ts';
import { type Pooler, startPooler } from '../support/pooler.ts';
import { startPostgres, type TestDatabase, type TestPostgres } from '../support/postgres.ts';
import { beforeBudgets, KEPT_BUDGETS, KEPT_THEN, SPENT_BEFORE } from '../support/spent-before-budgets.ts';
import { createAccount } from './suite/samples.ts';

/** When a lease that is just renewed runs out, on any clock of a test machine. */
const LATER = Date.now() + 3_600_000;

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const open = (url: string, startWithinMs = 0) => openPostgresStore({ url, clock: systemClock, startWithinMs });
const refusal = async (opening: Promise<unknown>): Promise<string> => {
  const error = await opening.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreRefused);
  const { message } = error as StoreRefused;
  expect(message).not.toContain('\n');
  expect(message).not.toContain('password@');
  return message;
};

describe('an empty database', () => {
  test('is prepared once by four nodes that start together', async () => {
    const database = await server.createDatabase({ empty: true });
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(database.url, 30_000)));
    expect(await database.sql('SELECT version, name FROM schema_migrations ORDER BY version')).toEqual(
      MIGRATIONS.map(({ version, name }) => ({ version: BigInt(version), name })),
    );
    await Promise.all(stores.map((store) => createAccount(store)));
    await Promise.all(stores.map((store) => store.close()));
    const again = await open(database.url);
    expect(await again.read.audit({})).toMatchObject({ wallets: 4, differences: [] });
    await again.close();
    await database.drop();
  });

  test('has the tables and columns of the embedded one, without its journal and with one more for its writers', async () => {
    const database = await server.createDatabase();
    const rows = await database.sql<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name <> 'writers'`,
    );
    const sqlite = openDatabase(':memory:', { unsafeNoSync: true });
    migrateSqlite(sqlite);
    const expected = sqlite
      .query<{ name: string }, []>(
        `SELECT tables.name || '.' || columns.name AS name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' AND tables.name <> 'journal'`,
      )
      .all();
    sqlite.close();
    expect(rows.map(({ name }) => name).toSorted()).toEqual(expected.map(({ name }) => name).toSorted());
    await database.drop();
  });

  test('has the schema that is committed: `npm run docs` writes it', async () => {
    const database = await server.createDatabase();
    const committed = readFileSync(join(import.meta.dir, '..', '..', POSTGRES_SCHEMA), 'utf8');
    expect(await dumpPostgresSchema(SCHEMA_HEAD, database.sql)).toBe(committed);
    await database.drop();
  });

  test('refuses changed, deleted and truncated entries', async () => {
    const database = await server.createDatabase();
    for (const statement of ['UPDATE entries SET at = 0', 'DELETE FROM entries', 'TRUNCATE entries']) {
      expect(await database.sql(statement).catch((error) => error.message)).toBe('entries are append-only');
    }
    await database.drop();
  });
});

describe('a migration', () => {
  test('of a newer version is refused', async () => {
    const database = await server.createDatabase();
    await database.sql(`INSERT INTO schema_migrations (version, name, hash) VALUES (9999, 'later', 'hash')`);
    expect(await refusal(open(database.url))).toBe(
      `the database is from a newer version (its schema is 9999, this program knows up to ${MIGRATIONS.at(-1)?.version}): upgrade the program`,
    );
    await database.drop();
  });

  test('that differs from the one that was applied is refused', async () => {
    const database = await server.createDatabase();
    await database.sql(`UPDATE schema_migrations SET hash = 'other'`);
    expect(await refusal(open(database.url))).toBe('migration 1 differs from the one this database had');
    await database.drop();
  });

  test('keeps what keys spent that day', async () => {
    const database = await server.createDatabase({ empty: true });
    const connection = await openConnection({ url: database.url, settings: {} }, systemClock);
    await migrate(connection, { migrations: beforeBudgets(MIGRATIONS) });
    for (const statement of SPENT_BEFORE) await database.sql(statement);
    await migrate(connection);
    expect(await database.sql(KEPT_BUDGETS)).toEqual(KEPT_THEN);
    await connection.close();
    await database.drop();
  });

  test('fills months and totals, and calls that ran before end right', async () => {
    const database = await server.createDatabase({ empty: true });
    const connection = await openConnection({ url: database.url, settings: {} }, systemClock);
    await migrate(connection, { migrations: beforeChains(MIGRATIONS) });
    for (const statement of heldBefore()) await database.sql(statement);
    await migrate(connection);
    await connection.close();
    const store = await open(database.url);
    await checkHeldBefore(store);
    await store.close();
    await database.drop();
  });

  test('leaves the upstream cost of older requests unknown, and sums up losses', async () => {
    const database = await server.createDatabase({ empty: true });
    const connection = await openConnection({ url: database.url, settings: {} }, systemClock);
    await migrate(connection, { migrations: beforeProfit(MIGRATIONS) });
    for (const statement of usedBefore(true)) await database.sql(statement);
    await migrate(connection);
    await connection.close();
    const store = await open(database.url);
    await checkUsedBefore(store);
    await store.close();
    await database.drop();
  });

  test('that fails leaves the database as it was', async () => {
    const database = await server.createDatabase();
    const connection = await openConnection({ url: database.url, settings: {} }, systemClock);
    const bad = { version: MIGRATIONS.length + 1, name: 'bad', sql: 'CREATE TABLE half (id text); SELECT 1 / 0' };
    expect(await refusal(migrate(connection, { migrations: [...MIGRATIONS, bad] }))).toContain('division by zero');
    expect(await database.sql(`SELECT to_regclass('half') AS half`)).toEqual([{ half: null }]);
    await database.drop();
  });
});

describe('an upgrade', () => {
  const slow = {
    version: MIGRATIONS.length + 1,
    name: 'slow',
    sql: 'SELECT pg_sleep(0.2); CREATE TABLE late (id text)',
  };
  /** With the schema of before, and a table locked that the next one needs. */
  async function createLocked() {
    const database = await server.createDatabase({ empty: true });
    const connection = await openConnection({ url: database.url, settings: {} }, systemClock);
    await migrate(connection, { migrations: beforeBudgets(MIGRATIONS) });
    await database.sql('BEGIN');
    await database.sql('LOCK TABLE budgets IN ACCESS EXCLUSIVE MODE');
    return { database, connection };
  }

  test('takes as long as its scripts need, whatever the limit of a statement is', async () => {
    const database = await server.createDatabase();
    const settings = { statement_timeout: '100' };
    const connection = await openConnection({ url: database.url, settings }, systemClock);
    await migrate(connection, { migrations: [...MIGRATIONS, slow] });
    expect(await database.sql(`SELECT to_regclass('late')::text AS late`)).toEqual([{ late: 'late' }]);
    await connection.close();
    await database.drop();
  });

  /** A database of the version before, with a node of that version on it. */
  async function createServed() {
    const database = await server.createDatabase({ empty: true });
    const connection = await openConnection({ url: database.url, settings: {} }, systemClock);
    await migrate(connection, { migrations: beforeBudgets(MIGRATIONS) });
    await connection.close();
    await database.sql(`INSERT INTO leases (node_id, host, pid, expires_at) VALUES ('node_1', 'host', 1, $1)`, LATER);
    const { host, pathname } = new URL(database.url);
    const refused = `cannot use the database at ${host}${pathname}: it needs an upgrade, and a server of an older version is running on it: stop all nodes first (one that was killed counts for 15 seconds)`;
    const applied = async () => (await database.sql('SELECT version FROM schema_migrations')).length;
    return { database, refused, applied };
  }

  test('under a node of the version before is refused: nothing is changed', async () => {
    const { database, refused, applied } = await createServed();
    expect(await refusal(open(database.url))).toBe(refused);
    expect(await applied()).toBe(beforeBudgets(MIGRATIONS).length);
    await database.drop();
  });

  test('is done as soon as the last node of the version before has gone, by a server that starts', async () => {
    const { database, refused, applied } = await createServed();
    const { promise: away, resolve: onAway } = Promise.withResolvers<string>();
    const { signal } = new AbortController();
    const opening = openPostgresStore({ url: database.url, clock: systemClock, wait: { onAway, signal } });
    expect(await away).toBe(refused);
    await database.sql('UPDATE leases SET expires_at = 0');
    await (await opening).close();
    expect(await applied()).toBe(MIGRATIONS.length);
    await database.drop();
  });

  test('does not wait for a lease of a clock that was days ahead', async () => {
    const { database, refused, applied } = await createServed();
    await database.sql('UPDATE leases SET expires_at = $1', Date.now() + DAY_MS - MINUTE_MS);
    expect(await refusal(open(database.url))).toBe(refused);
    await database.sql('UPDATE leases SET expires_at = $1', Date.now() + DAY_MS + MINUTE_MS);
    await (await open(database.url)).close();
    expect(await applied()).toBe(MIGRATIONS.length);
    await database.drop();
  });

  test('that is not needed does not mind other nodes', async () => {
    const database = await server.createDatabase();
    await database.sql(`INSERT INTO leases (node_id, host, pid, expires_at) VALUES ('node_1', 'host', 1, $1)`, LATER);
    await (await open(database.url)).close();
    await database.drop();
  });

  test('that takes long is told, and goes on', async () => {
    const { database, connection } = await createLocked();
    await connection.close();
    const { promise: away, resolve: onAway } = Promise.withResolvers<string>();
    // So that it is long soon.
    const hasty = { ...systemClock, after: (ms: number, task: Task) => systemClock.after(ms / 10, task) };
    const { signal } = new AbortController();
    const opening = openPostgresStore({ url: database.url, clock: hasty, wait: { onAway, signal } });
    const { host, pathname } = new URL(database.url);
    const from = beforeBudgets(MIGRATIONS).length;
    expect(await away).toBe(
      `the database at ${host}${pathname} is being upgraded from schema ${from} to ${MIGRATIONS.length}`,
    );
    await database.sql('COMMIT');
    await (await opening).close();
    await database.drop();
  });

  test('that meets a locked table says so, and leaves everything as it was', async () => {
    const { database, connection } = await createLocked();
    const failed = await migrate(connection).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(NoAnswer);
    expect((failed as NoAnswer).message).toContain('another session keeps a table locked that its upgrade to schema');
    await database.sql('COMMIT');
    await database.drop();
  });
});

describe('refused at once, in one line:', () => {
  test.each(['synchronous_commit'])('a database with %s off', async (name) => {
    const database = await server.createDatabase();
    await database.sql(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET ${name} = off`);
    expect(await refusal(open(database.url))).toBe(
      `the database runs with ${name} = off: it could lose money it has confirmed`,
    );
    await database.drop();
  });

  test('a database that is not there', async () => {
    const url = `postgres://postgres:password@127.0.0.1:${server.port}/nothing`;
    expect(await refusal(open(url, 60_000))).toBe(
      `cannot use the database at 127.0.0.1:${server.port}/nothing: database "nothing" does not exist (3D000)`,
    );
  });

  test('a wrong password', async () => {
    const url = `postgres://postgres:wrong@127.0.0.1:${server.port}/postgres`;
    expect(await refusal(open(url, 60_000))).toContain('password authentication failed');
  });

  test('a server without the TLS that the URL asks for', async () => {
    const plain = createServer((socket) => void socket.on('data', () => socket.write('N'))).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    const url = `postgres://postgres:password@127.0.0.1:${port}/gateway?sslmode=require`;
    expect(await refusal(open(url, 60_000))).toContain('cannot connect: ERR_POSTGRES_TLS_NOT_AVAILABLE');
    plain.close();
  });

  test('an encoding that cannot hold every text', async () => {
    const admin = await server.createDatabase();
    await admin.sql(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    const url = `postgres://postgres:password@127.0.0.1:${server.port}/latin`;
    expect(await refusal(open(url))).toBe('the database is encoded in LATIN1, not in UTF8');
    await admin.drop();
  });
});

describe('behind a pooler of sessions, which takes few settings at the beginning', () => {
  let pooler: Pooler;
  let database: TestDatabase;
  let url: string;
  beforeAll(async () => {
    pooler = await startPooler(server.port);
    database = await server.createDatabase();
    url = database.url.replace(`:${server.port}/`, `:${pooler.port}/`);
  });
  afterAll(async () => {
    await pooler.close();
    await database.drop();
  });

  test('a connection has its settings', async () => {
    const settings = { application_name: 'behind', lock_timeout: '100', enable_seqscan: 'off' };
    const connection = await openConnection({ url, settings }, systemClock);
    const names = Object.keys(settings).map((name) => `current_setting('${name}') AS ${name}`);
    const [answer] = await connection.send([{ sql: `SELECT ${names.join(', ')}` }], 10_000);
    expect(answer?.ok && answer.rows[0]).toEqual({ ...settings, lock_timeout: '100ms' });
    await connection.close();
  });

  test('a setting that the server does not know is told', async () => {
    const opening = openConnection({ url, settings: { no_such_setting: '1' } }, systemClock);
    expect(await opening.catch(({ message }) => message)).toContain('"no_such_setting"');
  });

  test('the store reads and writes', async () => {
    const store = await open(url);
    const { accountId } = await createAccount(store);
    expect(await store.read.wallet(accountId)).toMatchObject({ accountId });
    expect(await store.read.audit({})).toMatchObject({ wallets: 1, differences: [] });
    await store.close();
  });
});

describe('a server that does not answer yet', () => {
  test('is waited for', async () => {
    const database = await server.createDatabase();
    await server.crash();
    // In its place somebody who only notes that it was asked for.
    let asked = 0;
    const stand = createServer((socket) => {
      asked++;
      socket.destroy();
    }).listen(server.port, '127.0.0.1');
    await once(stand, 'listening');
    const opening = open(database.url, 25_000);
    await eventually('it to be asked for', () => asked > 0);
    stand.close();
    await once(stand, 'close');
    await server.start();
    const store = await opening;
    await createAccount(store);
    await store.close();
  });

  test('is asked again if it goes away while it is being prepared', async () => {
    const database = await server.createDatabase({ empty: true });
    await database.sql('SELECT pg_advisory_lock($1::bigint)', MIGRATION_LOCK);
    const opening = open(database.url, 10_000);
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'ai-gateway migration' AND datname = current_database() AND wait_event = 'advisory'`;
    await eventually('it was ended', async () => (await database.sql(end)).length > 0);
    await database.sql('SELECT pg_advisory_unlock($1::bigint)', MIGRATION_LOCK);
    const store = await opening;
    await createAccount(store);
    await store.close();
    await database.drop();
  });

  test('is given up after a while', async () => {
    const url = `postgres://postgres:password@127.0.0.1:${await freePort()}/gateway`;
    const since = performance.now();
    expect(await refusal(open(url, 500))).toContain('cannot connect');
    // Without a limit of its own it would be ten seconds.
    expect(performance.now() - since).toBeLessThan(8_000);
  });
});

test('a store that is closed as soon as it is open leaves no connection behind', async () => {
  const database = await server.createDatabase();
  const store = await open(database.url);
  await store.close();
  await eventually('every connection is closed', async () => {
    const sessions = `SELECT pid FROM pg_stat_activity
      WHERE application_name LIKE 'ai-gateway%' AND datname = current_database()`;
    return (await database.sql(sessions)).length === 0;
  });
  await database.drop();
});
