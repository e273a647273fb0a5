// What the database file itself refuses and keeps, whoever opens it.

import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { StoreRefused } from '../../src/store/refusal.ts';
import { restoreDatabase } from '../../src/store/sqlite/backup.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/index.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { appliedLine } from '../support/applied-line.ts';
import { beforeProfit, checkUsedBefore, usedBefore } from '../support/before-profit.ts';
import { beforeChains, checkHeldBefore, heldBefore } from '../support/held-before-chains.ts';
import { beforeBudgets, KEPT_BUDGETS, KEPT_THEN, SPENT_BEFORE } from '../support/spent-before-budgets.ts';
import { lease, NOW, paid, registration, settlement, TRIAL } from './suite/inputs.ts';

const NEWEST = MIGRATIONS.at(-1)?.version ?? 0;

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-file-'));
  file = join(folder, 'gateway.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openStore = () => openSqliteStore({ file, clock: systemClock });

/** A file with one account that has paid for one request and holds money for another. */
async function usedFile(): Promise<{ accountId: string; db: Database }> {
  const store = await openStore();
  const account = registration();
  const { accountId } = account;
  await store.commit('lease', lease());
  await store.commit('register', account);
  const done = paid(accountId, 500n);
  await store.commit('admit', done);
  await store.commit('settle', settlement(done, 400n));
  await store.commit('admit', paid(accountId, 300n));
  await store.close();
  const db = new Database(file, { safeIntegers: true });
  db.run('PRAGMA busy_timeout = 5000');
  return { accountId, db };
}

describe('entries', () => {
  test.each([
    ['UPDATE', 'UPDATE entries SET amount_nano = 1'],
    ['UPDATE of a note', `UPDATE entries SET note = 'x'`],
    ['DELETE', 'DELETE FROM entries'],
    ['DELETE of one', `DELETE FROM entries WHERE kind = 'usage'`],
  ])('refuse %s', async (_, sql) => {
    const { db } = await usedFile();
    const before = db.query('SELECT * FROM entries').all();
    expect(before).toHaveLength(2);
    expect(() => db.run(sql)).toThrow('append-only');
    expect(db.query('SELECT * FROM entries').all()).toEqual(before);
    db.close();
  });

  test('of one kind exist once for one cause', async () => {
    const { db } = await usedFile();
    const columns = 'at, kind, debit, credit, amount_nano, account_id, balance_after_nano, reference, note';
    expect(() =>
      db.run(`INSERT INTO entries (${columns}) SELECT ${columns} FROM entries WHERE kind = 'usage'`),
    ).toThrow('UNIQUE');
    db.close();
  });
});

describe('constraints', () => {
  test.each([
    ['a wallet below its holds', 'UPDATE wallets SET balance_nano = held_nano - 1'],
    ['holds above the balance', 'UPDATE wallets SET held_nano = balance_nano + 1'],
    ['a negative balance', 'UPDATE wallets SET balance_nano = -1, held_nano = -1'],
    ['calls in flight below zero', 'UPDATE wallets SET in_flight = -1'],
    ['a cost above its hold', 'UPDATE usage_records SET cost_nano = held_nano + 1'],
    ['a negative cost', 'UPDATE usage_records SET cost_nano = -1'],
    ['a free request that holds money', 'UPDATE holds SET free = 1'],
    ['text where money stands', `UPDATE wallets SET balance_nano = 'much'`],
    ['a fraction of a nano', 'UPDATE wallets SET balance_nano = 1.5'],
  ])('refuse %s', async (_, sql) => {
    const { db } = await usedFile();
    expect(() => db.run(sql)).toThrow(/constraint failed|cannot store/);
    db.close();
  });
});

describe('durability', () => {
  test('the writer syncs every commit, in WAL', () => {
    const db = openDatabase(file);
    expect(db.query<{ synchronous: bigint }, []>('PRAGMA synchronous').get()?.synchronous).toBe(2n);
    expect(db.query<{ journal_mode: string }, []>('PRAGMA journal_mode').get()?.journal_mode).toBe('wal');
    expect(db.query<{ foreign_keys: bigint }, []>('PRAGMA foreign_keys').get()?.foreign_keys).toBe(1n);
    db.close();
  });

  test('the reader cannot write', async () => {
    (await usedFile()).db.close();
    const db = openDatabase(file, { readonly: true });
    expect(() => db.run('DELETE FROM alarms')).toThrow('readonly');
    db.close();
  });

  test('what was acknowledged is there when the file is opened again, closed well or not', async () => {
    const store = await openStore();
    const account = registration();
    await store.commit('lease', lease());
    await store.commit('register', account);
    const input = paid(account.accountId, 500n);
    await store.commit('admit', input);
    await store.commit('settle', settlement(input, 123n));
    const other = await openStore();
    expect(await other.read.wallet(account.accountId)).toMatchObject({ balance: TRIAL - 123n, held: 0n });
    expect((await other.read.audit({})).differences).toEqual([]);
    await other.close();
    await store.close();
  });
});

describe('two programs at one file', () => {
  test('take turns, and neither overdraws', async () => {
    const [one, two] = [await openStore(), await openStore()];
    const account = registration();
    await one.commit('lease', lease());
    await one.commit('register', account);
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        (index % 2 === 0 ? one : two).commit('admit', paid(account.accountId, 100_000_000n)),
      ),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(10);
    expect(await two.read.wallet(account.accountId)).toMatchObject({ balance: TRIAL, held: TRIAL });
    await one.close();
    await two.close();
  });
});

describe('migrations', () => {
  const next = { version: NEWEST + 1, name: 'next', sql: 'CREATE TABLE next_one (id INTEGER) STRICT' };

  test('run once, and change nothing the second time', () => {
    const db = openDatabase(file);
    migrate(db);
    const schema = db.query('SELECT * FROM sqlite_schema').all();
    migrate(db);
    expect(db.query('SELECT * FROM sqlite_schema').all()).toEqual(schema);
    expect(db.query('SELECT version FROM schema_migrations').all()).toHaveLength(MIGRATIONS.length);
    db.close();
  });

  test('one more is added to what is there', async () => {
    const { accountId, db } = await usedFile();
    migrate(db, { migrations: [...MIGRATIONS, next] });
    expect(db.query('SELECT * FROM next_one').all()).toEqual([]);
    expect(db.query('SELECT 1 FROM wallets WHERE account_id = ?').all(accountId)).toHaveLength(1);
    db.close();
  });

  test('keep what keys spent that day, also in a copy of an older version that is restored', () => {
    const older = join(folder, 'older.sqlite');
    const db = openDatabase(older);
    migrate(db, { migrations: beforeBudgets(MIGRATIONS) });
    for (const statement of SPENT_BEFORE) db.run(statement);
    restoreDatabase(older, file, NOW, { restored: () => appliedLine(NOW), frozen: undefined });
    migrate(db);
    for (const one of [db, openDatabase(file)]) {
      expect(one.query<unknown, []>(KEPT_BUDGETS).all()).toEqual(KEPT_THEN);
      one.close();
    }
  });

  test('fill months and totals, and calls that ran before end right', async () => {
    const db = openDatabase(file);
    migrate(db, { migrations: beforeChains(MIGRATIONS) });
    for (const statement of heldBefore()) db.run(statement);
    migrate(db);
    db.close();
    const store = await openStore();
    await checkHeldBefore(store);
    await store.close();
  });

  test('leave the upstream cost of older requests unknown, and sum up losses', async () => {
    const db = openDatabase(file);
    migrate(db, { migrations: beforeProfit(MIGRATIONS) });
    for (const statement of usedBefore(false)) db.run(statement);
    migrate(db);
    db.close();
    const store = await openStore();
    await checkUsedBefore(store);
    await store.close();
  });

  test('one that was changed afterwards is refused', async () => {
    const { db } = await usedFile();
    const changed = MIGRATIONS.map((migration) => ({ ...migration, sql: `${migration.sql}\n-- changed` }));
    expect(() => migrate(db, { migrations: changed })).toThrow(StoreRefused);
    expect(() => migrate(db, { migrations: changed })).toThrow('differs');
    db.close();
  });

  test('a file of a newer program is refused', async () => {
    const { db } = await usedFile();
    migrate(db, { migrations: [...MIGRATIONS, next] });
    db.close();
    const refused: unknown = await openStore().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreRefused);
    expect(String(refused)).toContain('newer version');
  });

  test('one that fails leaves nothing behind', () => {
    const db = openDatabase(file);
    const failing = { ...next, sql: 'CREATE TABLE half_done (id INTEGER) STRICT; CREATE TABLE broken (' };
    expect(() => migrate(db, { migrations: [...MIGRATIONS, failing] })).toThrow();
    expect(db.query(`SELECT name FROM sqlite_schema WHERE name IN ('half_done', 'wallets')`).all()).toEqual([]);
    db.close();
  });
});

describe('a file that is none', () => {
  test('is refused in one line for the operator', async () => {
    writeFileSync(file, 'this is not a database, it only has its name'.repeat(100));
    await expect(openStore()).rejects.toBeInstanceOf(StoreRefused);
  });

  test('also when it is a folder', async () => {
    mkdirSync(file);
    const opening = openStore();
    await expect(opening).rejects.toBeInstanceOf(StoreRefused);
    await expect(opening).rejects.toThrow(`cannot open the database ${file}: `);
  });

  test('and where none can be made, that is said', async () => {
    rmSync(folder, { recursive: true });
    const opening = openStore();
    await expect(opening).rejects.toBeInstanceOf(StoreRefused);
    await expect(opening).rejects.toThrow(`cannot open the database ${file} (it could not be created): `);
  });
});

test('forgetting takes old addresses and dead leases, never what still counts', async () => {
  const store = await openStore();
  const account = registration();
  await store.commit('lease', lease('node_old', NOW));
  await store.commit('lease', lease('node_holding', NOW));
  await store.commit('lease', lease('node_holding', NOW + 1));
  await store.commit('register', account);
  await store.commit('admit', paid(account.accountId, 5n, { nodeId: 'node_holding' }));
  await store.forget(NOW + 1_000);
  expect(await store.read.window(`register:address:${account.address}`)).toBeUndefined();
  expect(await store.read.window('register:site')).toMatchObject({ dayCount: 1 });
  expect((await store.read.leases()).map(({ nodeId }) => nodeId)).toEqual(['node_holding']);
  await store.close();
});
