// A program on a schema that a newer version has made: it runs if every migration since its own only adds something, and is
// refused otherwise. The newer version is a migration more, run by the test.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import type { Migration } from '../../src/store/migration.ts';
import { openConnection } from '../../src/store/postgres/connection.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrations/index.ts';
import { migrate as migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { MIGRATIONS as SQLITE_MIGRATIONS } from '../../src/store/sqlite/migrations/index.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import type { Answer } from '../support/answer.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { createWorkplace, type RunningServer, type Workplace } from '../support/start-process.ts';
import { withTables } from '../support/with-tables.ts';

const TIMEOUT_MS = 240_000;
const NEWEST = MIGRATIONS.at(-1)?.version ?? 0;
/** In tables that every request writes: a page, a record that is only added, and the sums of it. */
const additive: Migration = {
  version: NEWEST + 1,
  name: 'additive',
  isAdditive: true,
  sql: `CREATE TABLE added (id INTEGER PRIMARY KEY);
    ALTER TABLE wallets ADD COLUMN added TEXT;
    ALTER TABLE usage_records ADD COLUMN added INTEGER NOT NULL DEFAULT 7;
    ALTER TABLE usage_days ADD COLUMN added INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX entries_by_time_added ON entries (at);
    UPDATE wallets SET added = 'kept'`,
};
const other: Migration = { version: NEWEST + 2, name: 'other', sql: 'ALTER TABLE wallets DROP COLUMN added' };
const REFUSED = `the database is from a newer version (its schema is ${NEWEST + 2}, this program knows up to ${NEWEST}): upgrade the program`;

async function register(server: RunningServer): Promise<string> {
  const response = await fetch(`${server.url}/api/agent/register`, { method: 'POST' });
  return ((await response.json()) as Answer).api_key;
}

/** A paid call; the status and the cost. */
async function call(server: RunningServer, key: string): Promise<{ status: number; cost: number }> {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'demo-small', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }),
  });
  await response.text();
  return { status: response.status, cost: Number(response.headers.get('x-svc-cost-ntd')) };
}

async function stop(server: RunningServer): Promise<void> {
  server.signal('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
}

async function expectCharged(server: RunningServer, key: string): Promise<void> {
  const { status, cost } = await call(server, key);
  expect(status).toBe(200);
  expect(cost).toBeGreaterThan(0);
}

describe('on SQLite', () => {
  let place: Workplace;
  beforeAll(() => {
    place = createWorkplace();
  });
  afterAll(() => place.remove());

  function upgrade(migrations: Migration[], options: { isCopy?: boolean } = {}): void {
    const db = openDatabase(join(place.dataDir, 'gateway.sqlite'));
    migrateSqlite(db, { migrations: [...SQLITE_MIGRATIONS, ...migrations], ...options });
    db.close();
  }
  const rows = (query: string) =>
    withTables(join(place.dataDir, 'gateway.sqlite'), (db) => db.query<Record<string, unknown>, []>(query).all());

  test(
    'it serves, charges and recovers from a kill on an additive schema, and is refused on another',
    async () => {
      const first = await place.serve();
      const key = await register(first);
      expect(() => upgrade([additive])).toThrow('a server of an older version is running on this database');
      await stop(first);
      upgrade([additive]);

      const killed = await place.serve();
      await expectCharged(killed, key);
      killed.signal('SIGKILL');
      await killed.ended;
      const second = await place.serve();
      await expectCharged(second, key);
      await stop(second);
      expect(rows('SELECT added FROM wallets')).toEqual([{ added: 'kept' }]);
      expect(rows('SELECT added, cost_nano > 0 AS charged FROM usage_records')).toEqual(
        Array(2).fill({ added: 7n, charged: 1n }),
      );
      expect(rows('SELECT oldest FROM schema_migrations ORDER BY version DESC LIMIT 1')).toEqual([
        { oldest: BigInt(NEWEST) },
      ]);
      expect(withTables(join(place.dataDir, 'gateway.sqlite'), auditLedger)).toEqual([]);

      // The lease of the killed server has not ended yet.
      upgrade([additive, other], { isCopy: true });
      expect((await place.failToServe()).stderr).toContain(REFUSED);
    },
    TIMEOUT_MS,
  );
});

describe('on PostgreSQL', () => {
  let postgres: TestDatabases;
  let database: TestDatabase;
  let place: Workplace;
  beforeAll(async () => {
    postgres = await sharePostgres();
    database = await postgres.createDatabase();
    place = createWorkplace();
  }, TIMEOUT_MS);
  afterAll(async () => {
    await place.remove();
    await postgres.stop();
  });

  async function upgrade(...migrations: Migration[]): Promise<void> {
    const connection = await openConnection({ url: database.url, settings: {} }, systemClock);
    await migrate(connection, { migrations: [...MIGRATIONS, ...migrations] });
    await connection.close();
  }

  test(
    'a node runs on through an additive upgrade, and others start; another upgrade waits, and is refused afterwards',
    async () => {
      const env = { DATABASE_URL: database.url, SECRETS_PEPPER: 'a pepper for older programs' };
      const running = await place.serve(env);
      const key = await register(running);
      await expectCharged(running, key);
      await upgrade(additive);
      for (let n = 0; n < 5; n++) await expectCharged(running, key);

      const started = await place.serve(env);
      await expectCharged(started, key);
      await expect(upgrade(additive, other)).rejects.toThrow('a server of an older version is running on it');
      await Promise.all([running, started].map(stop));
      expect(await database.sql('SELECT added FROM wallets')).toEqual([{ added: 'kept' }]);
      expect(await database.sql('SELECT DISTINCT added FROM usage_records')).toEqual([{ added: 7 }]);

      await upgrade(additive, other);
      expect((await place.failToServe(env)).stderr).toContain(REFUSED);
    },
    TIMEOUT_MS,
  );
});
