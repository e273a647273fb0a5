// The journal of the embedded database: what was answered from it is found by whoever opens the file next, to the last
// row as if each batch had been written to the tables at once.

import { type Database, SQLiteError } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { MAX_NANO } from '../../src/kit/money.ts';
import type { AdmitInput, Operation } from '../../src/store/operations.ts';
import { StoreRefused } from '../../src/store/refusal.ts';
import { audit, backupDatabase, restoreDatabase } from '../../src/store/sqlite/backup.ts';
import { type Commits, prepareCommits } from '../../src/store/sqlite/commit-batch.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/index.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { appliedLine } from '../support/applied-line.ts';
import { lease, NOW, newId, paid, registration, settlement, TRIAL } from './suite/inputs.ts';
import { loss } from './suite/losses.ts';

const NEWEST = MIGRATIONS.at(-1)?.version ?? 0;

let folder: string;
let file: string;
let db: Database;
let commits: Commits;
let accountId: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-journal-'));
  file = join(folder, 'gateway.sqlite');
  db = openDatabase(file, { unsafeNoSync: true });
  migrate(db);
  commits = prepareCommits(db);
  const account = registration();
  accountId = account.accountId;
  commits.commitBatch([
    { name: 'lease', input: lease() },
    { name: 'register', input: account },
  ]);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const admitting = (input: AdmitInput): Operation => ({ name: 'admit', input });
const settling = (input: AdmitInput, cost: bigint): Operation => ({ name: 'settle', input: settlement(input, cost) });

const releasing = (input: AdmitInput): Operation => {
  const { requestId, keyId, outcome } = settlement(input, 0n);
  return { name: 'release', input: { requestId, accountId, keyId, giveBackSlots: true, outcome } };
};

const commit = (operations: readonly Operation[], to = commits) => to.journalBatch(operations);

const count = (sql: string, from = db) => Number(from.query<{ n: bigint }, []>(sql).get()?.n);
const journaled = (from = db) => count('SELECT count(*) AS n FROM journal', from);
const usageEntries = (from = db) => count(`SELECT count(*) AS n FROM entries WHERE kind = 'usage'`, from);
const wallet = (from = db) => from.query('SELECT balance_nano, held_nano, in_flight FROM wallets').all();

/** A request that is paid for, and one that holds money. */
function useWallet(to = commits) {
  const done = paid(accountId, 500n);
  commit([admitting(done), admitting(paid(accountId, 300n))], to);
  commit([settling(done, 400n)], to);
}
const USED = [{ balance_nano: TRIAL - 400n, held_nano: 300n, in_flight: 1n }];

/** Another process with the file. */
function other(): { db: Database; commits: Commits } {
  const own = openDatabase(file, { unsafeNoSync: true });
  return { db: own, commits: prepareCommits(own) };
}

test('a batch is one row until it is posted, and then none', () => {
  useWallet();
  expect(journaled()).toBe(2);
  expect(wallet()).toEqual([{ balance_nano: TRIAL, held_nano: 0n, in_flight: 0n }]);
  commits.post();
  expect(journaled()).toBe(0);
  expect(wallet()).toEqual(USED);
  expect(count('SELECT count(*) AS n FROM holds')).toBe(1);
  commits.post();
  expect(usageEntries()).toBe(1);
  expect(audit(db, {}).differences).toEqual([]);
});

test('whatever is no such batch posts first, in its own transaction', () => {
  useWallet();
  const { accountId: another } = registration();
  commits.commitBatch([{ name: 'register', input: registration({ accountId: another }) }]);
  expect(journaled()).toBe(0);
  expect(usageEntries()).toBe(1);
  useWallet();
  commits.alone(() => expect(usageEntries()).toBe(2));
  expect(audit(db, {}).differences).toEqual([]);
});

test('a batch that changes nothing is not written at all', () => {
  const [refused] = commit([admitting(paid(accountId, TRIAL + 1n))]);
  expect(refused).toMatchObject({ ok: true, result: { ok: false, reason: 'insufficient_balance' } });
  expect(commit([settling(paid(accountId, 1n), 1n)])).toEqual([{ ok: true, result: { state: 'late' } }]);
  expect(journaled()).toBe(0);
});

test('it is posted before it grows long', () => {
  let most = 0;
  for (let batch = 0; batch < 40; batch++) {
    commit(Array.from({ length: 64 }, () => admitting(paid(accountId, 1n))));
    most = Math.max(most, journaled());
  }
  expect(most).toBeGreaterThan(4);
  expect(most).toBeLessThan(25);
  commits.post();
  expect(wallet()).toEqual([{ balance_nano: TRIAL, held_nano: 2_560n, in_flight: 2_560n }]);
});

describe('a process that is gone', () => {
  test('has left what the next one posts, once', async () => {
    useWallet();
    const store = await openSqliteStore({ file, clock: systemClock });
    expect(await store.read.wallet(accountId)).toMatchObject({ balance: TRIAL - 400n, held: 300n, inFlight: 1 });
    expect((await store.read.audit({})).differences).toEqual([]);
    await store.close();
    const again = await openSqliteStore({ file, clock: systemClock });
    expect(await again.read.entriesOf(accountId, 10)).toHaveLength(2);
    await again.close();
  });

  test('has left it in a copy, too', () => {
    useWallet();
    const copy = join(folder, 'copy.sqlite');
    backupDatabase(file, copy);
    const copied = openDatabase(copy, { readonly: true });
    expect({ rows: journaled(copied), wallets: wallet(copied) }).toEqual({ rows: 0, wallets: USED });
    copied.close();
  });

  test('has left it in a plain copy, which a restore posts', () => {
    useWallet();
    const plain = join(folder, 'plain.sqlite');
    db.query('VACUUM INTO ?').run(plain);
    const restored = join(folder, 'restored.sqlite');
    restoreDatabase(plain, restored, NOW, { restored: () => appliedLine(NOW), frozen: undefined });
    const found = openDatabase(restored, { readonly: true });
    expect({ rows: journaled(found), wallets: wallet(found) }).toEqual({ rows: 0, wallets: USED });
    found.close();
  });

  test('may have been of a version that kept nothing for keys without a budget: what they spend is found', async () => {
    const [first, second] = [paid(accountId, 500n), paid(accountId, 300n)];
    commit([admitting(first)]);
    commits.post();
    const { db: hand } = other();
    hand.run('UPDATE holds SET budgeted = 0');
    hand.run('DELETE FROM budgets');
    hand.close();
    commit([settling(first, 400n), admitting(second)]);
    commit([settling(second, 30n), admitting(paid(accountId, 200n))]);
    expect(journaled()).toBe(2);
    await (await openSqliteStore({ file, clock: systemClock })).close();
    expect(db.query('SELECT spent_nano, held_nano FROM budgets').all()).toEqual([
      { spent_nano: 430n, held_nano: 200n },
    ]);
    expect(audit(db, {}).differences).toEqual([]);
  });

  test('may have counted for keys above and for a session: their pages are found', async () => {
    const limits = { sessionBudget: 5_000n, tokensPerMinute: 1_000 };
    const { key: row } = registration({ accountId });
    const top = { ...row, keyId: 'key_top', hash: 'top', manage: false, delegate: true, limits };
    const low = { ...row, keyId: 'key_low', hash: 'low', manage: false, parentId: 'key_top', dailyBudget: 5_000n };
    commits.commitBatch([
      { name: 'createKey', input: { key: top, at: NOW } },
      { name: 'createKey', input: { key: low, at: NOW } },
    ]);
    const chain = { ancestors: ['key_top'], sessions: ['key_top:s'], rated: ['key_top'] };
    const tokens = { input: 100, perOutput: 1, wanted: 16, least: 16 };
    const [first, second] = [500n, 300n].map((amount) => paid(accountId, amount, { keyId: 'key_low', chain, tokens }));
    if (!first || !second) throw new Error('there are two');
    commit([admitting(first), admitting(second)]);
    commit([{ name: 'settle', input: { ...settlement(first, 400n), chain } }]);
    expect(journaled()).toBe(2);
    const store = await openSqliteStore({ file, clock: systemClock });
    const counted = { spent: 400n, monthSpent: 400n, totalSpent: 400n, held: 300n, inFlight: 1 };
    expect(await store.read.budgetsOf(['key_top', 'key_low'])).toMatchObject([counted, counted]);
    expect((await store.read.audit({})).differences).toEqual([]);
    await store.close();
    expect(db.query('SELECT session_id, spent_nano, held_nano FROM session_budgets').all()).toEqual([
      { session_id: 'key_top:s', spent_nano: 400n, held_nano: 300n },
    ]);
    expect(
      db
        .query<{ chain: string }, []>('SELECT chain FROM holds')
        .all()
        .map((one) => JSON.parse(one.chain)),
    ).toEqual([{ ...chain, tokens: 116 }]);
  });

  test('may have booked losses and charged them beyond the guard: the rows and the page of the day are found', async () => {
    const closes = [600n, 500n, 400n].map((amount): Operation[] => {
      const input = paid(accountId, 2_000n);
      const losses = { items: [loss({ amount, charge: 700n })], guard: 1_000n };
      commit([admitting(input)]);
      return [{ name: 'settle', input: { ...settlement(input, 0n), losses } }];
    });
    expect(closes.map((operations) => commit(operations)[0])).toMatchObject([
      { result: { charged: 0n } },
      { result: { charged: 140n, lossGuard: 'reached', freeLosses: 400n } },
      { result: { charged: 700n, lossGuard: 'beyond', freeLosses: 0n } },
    ]);
    expect(journaled()).toBe(6);
    expect(count('SELECT count(*) AS n FROM losses')).toBe(0);
    const store = await openSqliteStore({ file, clock: systemClock });
    expect(await store.read.wallet(accountId)).toMatchObject({ balance: TRIAL - 840n, held: 0n });
    expect((await store.read.audit({})).differences).toEqual([]);
    await store.close();
    expect(db.query('SELECT amount_nano FROM losses ORDER BY loss_id').all()).toEqual([
      { amount_nano: 600n },
      { amount_nano: 400n },
    ]);
    expect(db.query('SELECT amount_nano, reached FROM loss_days').all()).toEqual([
      { amount_nano: 1_000n, reached: 1n },
    ]);
  });

  test('may have decided by other rules, and written money as digits: what it journaled is posted as it stands', async () => {
    useWallet();
    db.run(`UPDATE journal SET changes = replace(changes, '${TRIAL - 400n}', '"${TRIAL - 401n}"')`);
    await (await openSqliteStore({ file, clock: systemClock })).close();
    expect(wallet()).toEqual([{ balance_nano: TRIAL - 401n, held_nano: 300n, in_flight: 1n }]);
  });

  test('may have charged a wallet with more than a number holds exactly: it is right to the last nano', async () => {
    const rich = 2n ** 53n + 401n;
    const { db: hand } = other();
    hand.run('UPDATE wallets SET balance_nano = ?', [rich]);
    hand.close();
    useWallet();
    expect(journaled()).toBe(2);
    await (await openSqliteStore({ file, clock: systemClock })).close();
    expect(wallet()).toEqual([{ balance_nano: rich - 400n, held_nano: 300n, in_flight: 1n }]);
  });

  test('may have been of a version that journaled operations: nothing is changed, and the remedy is named', async () => {
    const older = join(folder, 'older.sqlite');
    const before = openDatabase(older, { unsafeNoSync: true });
    migrate(before, { migrations: MIGRATIONS.slice(0, 12) });
    before.run(`INSERT INTO journal (operations, answers) VALUES ('[1]', '[1]')`);
    const opening = openSqliteStore({ file: older, clock: systemClock });
    await expect(opening).rejects.toBeInstanceOf(StoreRefused);
    await expect(opening).rejects.toThrow('start that version once, stop it with SIGTERM');
    expect(count('SELECT max(version) AS n FROM schema_migrations', before)).toBe(12);
    expect(journaled(before)).toBe(1);
    // As that version does it.
    before.run('DELETE FROM journal');
    await (await openSqliteStore({ file: older, clock: systemClock })).close();
    expect(count('SELECT max(version) AS n FROM schema_migrations', before)).toBe(NEWEST);
    before.close();
  });
});

describe('a newer version', () => {
  const next = { version: NEWEST + 1, name: 'next', sql: 'CREATE TABLE next_one (id INTEGER) STRICT' };
  const migrations = [...MIGRATIONS, next];
  const hasNext = () => count(`SELECT count(*) AS n FROM sqlite_schema WHERE name = 'next_one'`) === 1;

  test('does not touch the file while a server of this one runs on it', () => {
    db.run('UPDATE leases SET expires_at = ?', [Date.now() + 10_000]);
    expect(() => migrate(db, { migrations })).toThrow('stop it first');
    expect(hasNext()).toBe(false);
    db.run('UPDATE leases SET expires_at = ?', [Date.now() - 1]);
    migrate(db, { migrations });
    expect(hasNext()).toBe(true);
  });

  test('posts the journal before it changes the tables, also those that are in it', () => {
    useWallet();
    const sql = `
      CREATE TABLE next_one AS SELECT balance_nano, held_nano, in_flight FROM wallets;
      ALTER TABLE wallets ADD COLUMN note TEXT;
      ALTER TABLE usage_records RENAME COLUMN images TO pictures;
      ALTER TABLE usage_days DROP COLUMN images;
      DROP TABLE journal;`;
    migrate(db, { migrations: [...MIGRATIONS, { ...next, sql }] });
    expect(db.query('SELECT * FROM next_one').all()).toEqual(USED);
    expect(usageEntries()).toBe(1);
    expect(db.query('SELECT requests, cost_nano FROM usage_days').all()).toEqual([{ requests: 1n, cost_nano: 400n }]);
  });

  test('that fails leaves the journal to the one that wrote it', () => {
    useWallet();
    const sql = 'CREATE TABLE next_one (id INTEGER) STRICT; DROP TABLE no_such_table';
    expect(() => migrate(db, { migrations: [...MIGRATIONS, { ...next, sql }] })).toThrow('no_such_table');
    expect({ hasNext: hasNext(), rows: journaled(), entries: usageEntries() }).toEqual({
      hasNext: false,
      rows: 2,
      entries: 0,
    });
    useWallet();
    commits.post();
    expect(usageEntries()).toBe(2);
    expect(audit(db, {}).differences).toEqual([]);
  });
});

describe('two processes', () => {
  test('one posts what the other journaled, and neither does so twice', () => {
    const second = other();
    for (let round = 0; round < 20; round++) {
      const [one, two] = round % 2 === 0 ? [commits, second.commits] : [second.commits, commits];
      const input = paid(accountId, 500n);
      expect(commit([admitting(input)], one)).toMatchObject([{ ok: true, result: { ok: true } }]);
      expect(commit([settling(input, 10n)], two)).toMatchObject([{ result: { state: 'closed', charged: 10n } }]);
      expect(commit([settling(input, 10n)], one)).toEqual([{ ok: true, result: { state: 'late' } }]);
      // What one has in its book is in the tables by now: it must not write it again.
      one.post();
      two.post();
      expect(usageEntries()).toBe(round + 1);
    }
    expect(wallet()).toEqual([{ balance_nano: TRIAL - 200n, held_nano: 0n, in_flight: 0n }]);
    expect(audit(db, {}).differences).toEqual([]);
    second.db.close();
  });

  test('a question of one sees what the other has just answered', async () => {
    const store = await openSqliteStore({ file, clock: systemClock });
    for (let round = 1; round <= 20; round++) {
      const input = paid(accountId, 500n);
      commit([admitting(input)]);
      expect(await store.read.wallet(accountId)).toMatchObject({ held: 500n });
      commit([settling(input, 10n)]);
      expect(await store.read.usageRecord(accountId, input.requestId)).toMatchObject({ cost: 10n });
      expect(await store.read.holdSums()).toMatchObject({ open: 0 });
    }
    expect((await store.read.audit({})).differences).toEqual([]);
    await store.close();
  });

  test('a write by another tool, which journals nothing, is seen and nothing is lost', () => {
    useWallet();
    const second = other();
    second.db.run('CREATE TABLE notes (text TEXT)');
    useWallet();
    commits.post();
    expect(usageEntries()).toBe(2);
    expect(audit(db, {}).differences).toEqual([]);
    second.db.close();
  });
});

describe('what the tables would refuse', () => {
  const broken: [what: string, spoil: (operation: Operation) => Operation][] = [
    ['a fraction of a millisecond', (one) => changed(one, { totalMs: 0.5 })],
    ['no number of tokens', (one) => changed(one, { reasoning: -1 })],
    ['no status', (one) => changed(one, { status: null })],
    ['a time that is none', (one) => changed(one, { at: 1.5 })],
    ['a loss of no model', (one) => withLoss(one, { model: null })],
    ['a loss for no reason', (one) => withLoss(one, { reason: null })],
  ];
  const withLoss = (operation: Operation, ...losses: Record<string, unknown>[]) =>
    ({
      ...operation,
      input: { ...operation.input, losses: { items: losses.map((one) => ({ ...loss(), ...one })), guard: null } },
    }) as unknown as Operation;
  const changed = (operation: Operation, outcome: Record<string, unknown>) =>
    ({
      ...operation,
      input: { ...operation.input, outcome: { ...settlement(paid(accountId, 1n), 1n).outcome, ...outcome } },
    }) as unknown as Operation;

  test.each(broken)('%s fails alone, and is never journaled', (_, spoil) => {
    const [fine, bad] = [paid(accountId, 500n), paid(accountId, 500n)];
    commit([admitting(fine), admitting(bad)]);
    const [one, two] = commit([settling(fine, 4n), spoil(settling(bad, 4n))]);
    expect(one).toMatchObject({ ok: true, result: { state: 'closed', charged: 4n } });
    expect(two).toMatchObject({ ok: false, error: 'a database constraint refused the operation' });
    expect(journaled()).toBe(0);
    expect(wallet()).toEqual([{ balance_nano: TRIAL - 4n, held_nano: 500n, in_flight: 1n }]);
    expect(audit(db, {}).differences).toEqual([]);
  });

  test('a write-off that no column holds fails alone', () => {
    const [fine, bad] = [paid(accountId, 500n), paid(accountId, 500n)];
    commit([admitting(fine), admitting(bad)]);
    const [one, two] = commit([settling(fine, 4n), settling(bad, MAX_NANO + 501n)]);
    expect(one).toMatchObject({ ok: true, result: { state: 'closed', charged: 4n } });
    expect(two).toMatchObject({ ok: false, error: 'a write-off fits into a column' });
    commits.post();
    expect(wallet()).toEqual([{ balance_nano: TRIAL - 4n, held_nano: 500n, in_flight: 1n }]);
  });

  test.each([1.5, Number.NaN, null, 'now'])('a time that is none, where nothing is charged: %p', (at) => {
    for (const close of [settling, releasing]) {
      const [fine, bad] = [paid(accountId, 500n), paid(accountId, 500n)];
      commit([admitting(fine), admitting(bad)]);
      const [one, two] = commit([settling(fine, 0n), changed(close(bad, 0n), { at })]);
      expect(one).toMatchObject({ ok: true, result: { state: 'closed', charged: 0n } });
      expect(two).toMatchObject({ ok: false });
      expect(journaled()).toBe(0);
    }
    expect(audit(db, {}).differences).toEqual([]);
  });

  test.each([
    ['calls under way', 'UPDATE wallets SET in_flight = 0'],
    ['money held of a budget', 'DELETE FROM budgets'],
  ])('less than closing takes away, because rows were changed by hand: %s', (_, sql) => {
    const input = paid(accountId, 500n);
    commit([admitting(input)]);
    commits.post();
    const { db: hand } = other();
    hand.run(sql);
    hand.close();
    expect(commit([settling(input, 4n)])).toEqual([
      { ok: false, error: 'a database constraint refused the operation' },
    ]);
    expect(journaled()).toBe(0);
  });

  test('an operation that fails by itself leaves no trace in the journal', () => {
    const fine = paid(accountId, 500n);
    // A request is admitted once.
    expect(commit([admitting(fine), admitting(fine)])).toMatchObject([{ ok: true }, { ok: false }]);
    expect(journaled()).toBe(1);
    const second = other();
    second.commits.post();
    second.db.close();
    expect(wallet()).toEqual([{ balance_nano: TRIAL, held_nano: 500n, in_flight: 1n }]);
    expect(audit(db, {}).differences).toEqual([]);
  });

  test.each([
    ['in the tables', () => commits.post()],
    ['in the journal', () => {}],
    // Who replays it must know of it, too.
    [
      'in the journal of a process that is gone',
      () => {
        commits = prepareCommits(db);
      },
    ],
  ])('a second record of a request whose first is %s', (_, between) => {
    const input = paid(accountId, 500n);
    commit([admitting(input)]);
    commit([settling(input, 4n)]);
    between();
    const neighbour = paid(accountId, 500n);
    expect(commit([admitting(input), admitting(neighbour)])).toMatchObject([{ ok: true }, { ok: true }]);
    const [twice, fine] = commit([settling(input, 5n), settling(neighbour, 6n)]);
    expect(twice).toMatchObject({ ok: false, error: 'a database constraint refused the operation' });
    expect(fine).toMatchObject({ ok: true, result: { state: 'closed', charged: 6n } });
    commits.post();
    expect(wallet()).toEqual([{ balance_nano: TRIAL - 10n, held_nano: 500n, in_flight: 1n }]);
    expect(audit(db, {}).differences).toEqual([]);
  });
});

describe('a full disk', () => {
  const pages = (from: Database) =>
    Number(from.query<{ page_count: bigint }, []>('PRAGMA page_count').get()?.page_count);

  test('keeps what was answered, refuses what is new, and posts all of it when there is room', () => {
    let answered = 0;
    db.run(`PRAGMA max_page_count = ${pages(db) + 12}`);
    const until = () => {
      for (;;) {
        const input = paid(accountId, 500n);
        commit([admitting(input)]);
        commit([settling(input, 1n)]);
        answered++;
      }
    };
    expect(until).toThrow('full');
    expect(answered).toBeGreaterThan(10);
    expect(() => commit([admitting(paid(accountId, 1n))])).toThrow('full');
    // A restart finds the same.
    const second = other();
    second.db.run('PRAGMA max_page_count = 1');
    expect(() => second.commits.post()).toThrow('full');
    second.db.close();
    expect(journaled()).toBeGreaterThan(0);

    db.run('PRAGMA max_page_count = 1000000');
    commits.post();
    expect(journaled()).toBe(0);
    expect(usageEntries()).toBe(answered);
    expect(wallet()).toMatchObject([{ balance_nano: TRIAL - BigInt(answered) }]);
    expect(audit(db, {}).differences).toEqual([]);
  });

  test('in the middle of a batch whose halves are tried: that half may be asked for again', () => {
    const [bad, long] = [paid(accountId, 500n), paid(accountId, 500n)].sort((a, b) =>
      a.requestId < b.requestId ? -1 : 1,
    );
    if (!bad || !long) throw new Error('there are two');
    commit([admitting(bad), admitting(long)]);
    commits.post();
    const spoilt = settlement(bad, 4n);
    const filling = settlement(long, 4n);
    const operations: Operation[] = [
      { name: 'settle', input: { ...spoilt, outcome: { ...spoilt.outcome, totalMs: 0.5 } } },
      { name: 'settle', input: { ...filling, outcome: { ...filling.outcome, channel: 'x'.repeat(1_000_000) } } },
    ];
    db.run(`PRAGMA max_page_count = ${pages(db)}`);
    const [one, two] = commit(operations);
    expect(one).toEqual({ ok: false, error: 'a database constraint refused the operation' });
    expect(two).toMatchObject({ ok: false, error: expect.stringContaining('full'), unavailable: true });
    db.run('PRAGMA max_page_count = 1000000');
    expect(commit(operations.slice(1))).toMatchObject([{ ok: true, result: { state: 'closed', charged: 4n } }]);
  });
});

describe('a sync that failed', () => {
  /** As the database tells it. Its class knows its own by their name. */
  function failedSync(): Error {
    const error = Object.assign(new Error('disk I/O error'), { name: 'SQLiteError', code: 'SQLITE_IOERR_FSYNC' });
    expect(error).toBeInstanceOf(SQLiteError);
    return error;
  }

  test('ends all promises of this process: nobody knows what the disk holds', () => {
    const input = paid(accountId, 500n);
    let failures = 1;
    const shaken = prepareCommits(db, () => {
      if (failures-- > 0) throw failedSync();
    });
    expect(() => commit([admitting(input)], shaken)).toThrow('disk I/O error');
    expect(() => commit([admitting(input)], shaken)).toThrow('a sync of the database failed');
    expect(() => shaken.post()).toThrow('a sync of the database failed');
    expect(() => shaken.alone(() => {})).toThrow('a sync of the database failed');
    expect(commit([admitting(input)], prepareCommits(db))).toMatchObject([{ ok: true, result: { ok: true } }]);
  });

  test('is not what every failure is', () => {
    let failures = 1;
    const shaken = prepareCommits(db, () => {
      if (failures-- > 0) db.run('SELECT 1 FROM no_such_table');
    });
    const input = paid(accountId, 500n);
    expect(() => commit([admitting(input)], shaken)).toThrow('no such table');
    expect(commit([admitting(input)], shaken)).toMatchObject([{ ok: true, result: { ok: true } }]);
  });
});

test('more pages than are kept: none that is journaled is lost', () => {
  const MANY = 20_500;
  const accounts = Array.from({ length: MANY }, () => registration({ accountId: newId('many') }));
  for (let first = 0; first < MANY; first += 1_000) {
    const some = accounts.slice(first, first + 1_000);
    commits.commitBatch(some.map((input) => ({ name: 'register', input })));
  }
  const requests = accounts.map((account) => paid(account.accountId, 500n));
  for (let first = 0; first < MANY; first += 100) commit(requests.slice(first, first + 100).map(admitting));
  expect(journaled()).toBeGreaterThan(0);
  for (let first = 0; first < MANY; first += 100) {
    commit(requests.slice(first, first + 100).map((input) => settling(input, 7n)));
  }
  commits.post();
  expect(count(`SELECT count(*) AS n FROM wallets WHERE balance_nano = ${TRIAL - 7n} AND held_nano = 0`)).toBe(MANY);
  expect(count('SELECT count(*) AS n FROM holds')).toBe(0);
  expect(audit(db, {}).differences).toEqual([]);
});
