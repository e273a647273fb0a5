// What a move takes along: every table and column that the migrations of both databases make, and a refusal for any that
// has no place on the other side.

import type { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { openTarget } from '../../src/store/move/open-target.ts';
import { planMove, readPostgresSchema, readSqliteSchema, type TableSchema } from '../../src/store/move/plan-move.ts';
import { StoreRefused } from '../../src/store/refusal.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';

/** Everything but these is moved. A table that a migration adds is moved too, if both databases have it alike. */
const NOT_MOVED = {
  embedded: ['journal', 'leases', 'schema_migrations'],
  postgres: ['leases', 'schema_migrations', 'writers'],
};

let server: TestDatabases;
let database: TestDatabase;
let embedded: Database;
beforeAll(async () => {
  server = await sharePostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  database = await server.createDatabase();
  embedded = openDatabase(':memory:', { unsafeNoSync: true });
  migrate(embedded);
});

const there = () => readPostgresSchema((sql) => database.sql(sql) as never);
const plan = async () => planMove(readSqliteSchema(embedded), await there());
const refusal = async () => {
  const error = await plan().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreRefused);
  return (error as StoreRefused).message;
};
const names = (tables: readonly Pick<TableSchema, 'name'>[]) => tables.map(({ name }) => name).toSorted();

test('every table and every column of both databases has its place', async () => {
  const moved = await plan();
  expect(names(moved)).toEqual(names(readSqliteSchema(embedded)).filter((name) => !NOT_MOVED.embedded.includes(name)));
  expect(names(moved)).toEqual(names(await there()).filter((name) => !NOT_MOVED.postgres.includes(name)));
  for (const { name, columns } of moved) {
    const own = (await there()).find((table) => table.name === name)?.columns.map((column) => column.name);
    expect(columns.map((column) => column.name).toSorted()).toEqual(own?.toSorted() ?? []);
  }
});

test('money and times are whole numbers of 64 bits, and what the database counts goes on', async () => {
  const moved = await plan();
  const column = (table: string, name: string) =>
    moved.find((one) => one.name === table)?.columns.find((one) => one.name === name)?.kind;
  expect(column('wallets', 'balance_nano')).toBe('bigint');
  expect(column('wallets', 'frozen')).toBe('boolean');
  expect(column('settings', 'value')).toBe('text');
  expect(moved.flatMap(({ counted = [] }) => counted).toSorted()).toEqual([
    'action_id',
    'alarm_id',
    'entry_id',
    'event_id',
    'loss_id',
    'revision',
  ]);
});

test('rows come after those that they refer to', async () => {
  const order = (await plan()).map(({ name }) => name);
  for (const [first, then] of [
    ['accounts', 'wallets'],
    ['wallets', 'holds'],
    ['card_batches', 'cards'],
    ['accounts', 'entries'],
  ] as const) {
    expect(order.indexOf(first)).toBeLessThan(order.indexOf(then));
  }
});

describe('refused is', () => {
  test('a table that only the embedded database has', async () => {
    embedded.run('CREATE TABLE coupons (coupon_id TEXT PRIMARY KEY) STRICT');
    expect(await refusal()).toContain('PostgreSQL has no place for the table coupons of the embedded database');
  });

  test('a table that only PostgreSQL has', async () => {
    await database.sql('CREATE TABLE coupons (coupon_id text PRIMARY KEY)');
    expect(await refusal()).toContain('the embedded database has nothing for the table coupons of PostgreSQL');
  });

  test('a column of one side', async () => {
    embedded.run('ALTER TABLE cards ADD COLUMN color TEXT');
    await database.sql('ALTER TABLE keys ADD COLUMN color text');
    const told = await refusal();
    expect(told).toContain('no place for the column cards.color');
    expect(told).toContain('nothing for the column keys.color');
  });

  test.each([
    ['REAL', 'bigint'],
    ['INTEGER', 'double precision'],
    ['TEXT', 'jsonb'],
    ['BLOB', 'bytea'],
  ])('a column that is %s here and %s there, which nobody has thought of', async (here, type) => {
    embedded.run(`ALTER TABLE cards ADD COLUMN color ${here}`);
    await database.sql(`ALTER TABLE cards ADD COLUMN color ${type}`);
    expect(await refusal()).toContain(`cards.color is ${here} here and ${type} in PostgreSQL`);
  });

  test('a table whose keys are others, or that has none', async () => {
    embedded.run('CREATE TABLE coupons (a TEXT NOT NULL, b TEXT NOT NULL, PRIMARY KEY (a, b)) STRICT');
    await database.sql('CREATE TABLE coupons (a text, b text, PRIMARY KEY (b, a))');
    expect(await refusal()).toContain('the keys of coupons differ');
  });
});

test('what the migrations themselves write counts as nothing: the empty schema is good to move into', async () => {
  const target = await openTarget(database.url, systemClock);
  expect(names(target.tables)).toEqual(names(await there()));
  await target.close();
});
