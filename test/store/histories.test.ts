// Random histories of money: the store and a small pure model must agree after every step. HISTORIES says how many.

import type { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { prepareCommits } from '../../src/store/sqlite/commit-batch.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { RUN_SEED } from '../support/long-run.ts';
import { BROKEN_COMMITS } from './histories/broken-commits.ts';
import { compareFileProfit } from './histories/compare-profit.ts';
import { runShare } from './histories/history-thread.ts';
import { runHistories } from './histories/run-histories.ts';
import { sqliteSubject } from './histories/subject.ts';

const HISTORIES = Number(process.env.HISTORIES ?? 120);
/** Each in a database of its own. */
const ALONE = Math.min(200, Math.ceil(HISTORIES / 10));
const THREADS = 2;
const TIMEOUT_MS = Math.max(900_000, HISTORIES * 20);

function freshDatabase(): Database {
  const db = openDatabase(':memory:', { unsafeNoSync: true });
  migrate(db);
  return db;
}

describe('SQLite agrees with the model', () => {
  test(
    `${HISTORIES} histories, side by side in one file, sharing their commits`,
    async () => {
      const shares = Array.from({ length: THREADS }, (_, index) =>
        runShare({ runs: Math.ceil(HISTORIES / THREADS), seed: RUN_SEED + index * 1_000 }),
      );
      expect((await Promise.all(shares)).find((report) => report !== undefined)).toBeUndefined();
    },
    TIMEOUT_MS,
  );

  test(`${ALONE} histories that have the site, and its limit of registrations, to themselves`, async () => {
    const subject = () => {
      const own = freshDatabase();
      return sqliteSubject(own, prepareCommits(own).commitBatch);
    };
    expect(await runHistories({ subject, runs: ALONE, registerPerDay: 3 })).toBeUndefined();
  });
});

describe('profit that is off by a nano is found in', () => {
  let db: Database;
  beforeAll(async () => {
    db = freshDatabase();
    const subject = sqliteSubject(db, prepareCommits(db).commitBatch);
    expect(await runHistories({ subject: () => subject, runs: 60, seed: 7 })).toBeUndefined();
    expect(await compareFileProfit(db)).toBeUndefined();
  });
  afterAll(() => db.close());

  const ofARefund = `FROM entries JOIN usage_records ON request_id = refund_of WHERE kind = 'refund'`;
  test.each([
    ['revenue', 'UPDATE usage_days SET cost_nano = cost_nano + 1'],
    ['a cost', 'UPDATE usage_days SET upstream_nano = upstream_nano + 1 WHERE upstream_nano > 0'],
    [
      'revenue whose cost is unknown',
      'UPDATE usage_days SET known_revenue_nano = known_revenue_nano + 1 WHERE requests > known_requests',
    ],
    ['a loss', 'UPDATE loss_sums SET amount_nano = amount_nano + 1'],
    [
      'the model of a refund',
      `UPDATE usage_records SET model = 'other' WHERE request_id = (SELECT refund_of ${ofARefund} LIMIT 1)`,
    ],
  ])('%s', async (_, change) => {
    db.run('BEGIN');
    expect(db.run(change).changes).toBeGreaterThan(0);
    expect(await compareFileProfit(db)).toContain('profit');
    db.run('ROLLBACK');
    expect(await compareFileProfit(db)).toBeUndefined();
  });
});

describe('the histories find', () => {
  test.each(Object.keys(BROKEN_COMMITS))('%s', async (name) => {
    const db = freshDatabase();
    const broken = BROKEN_COMMITS[name]?.(prepareCommits(db).commitBatch, db);
    const subject = sqliteSubject(db, broken ?? prepareCommits(db).commitBatch);
    const report = await runHistories({ subject: () => subject, runs: 3_000, seed: 7, isAnyFailureEnough: true });
    expect(report).toContain('the model says');
    db.close();
  });
});
