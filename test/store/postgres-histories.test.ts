// Random histories of money on PostgreSQL, against the same model as on SQLite. POSTGRES_HISTORIES says how many.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { systemClock } from '../../src/kit/clock.ts';
import { commitBatch } from '../../src/store/postgres/commit-batch.ts';
import { openConnection } from '../../src/store/postgres/connection.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { createWriter, type Writer } from '../../src/store/postgres/writer.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { compareProfit } from './histories/compare-profit.ts';
import { runHistories } from './histories/run-histories.ts';
import { batching, LOSS_DAY, LOSSES, PROFIT, type Subject, toLosses, toProfit } from './histories/subject.ts';

const HISTORIES = Number(process.env.POSTGRES_HISTORIES ?? 60);
const TIMEOUT_MS = Math.max(180_000, HISTORIES * 100);

let server: TestDatabases;
let database: TestDatabase;
let writer: Writer;
let reader: SQL;
beforeAll(async () => {
  server = await sharePostgres();
  database = await server.createDatabase();
  const { url } = database;
  reader = new SQL(url, { max: 4, bigint: true });
  const connect = () => openConnection({ url, settings: {} }, systemClock);
  writer = createWriter({
    clock: systemClock,
    connect,
    connectToAsk: connect,
    away: () => undefined,
    whenUp: () => Promise.resolve(),
  });
});
afterAll(async () => {
  await writer.close();
  await reader.close();
  await server.stop();
});

function postgresSubject(seed: number): Subject {
  const many = async (query: string, id: string) => [...(await reader.unsafe(query, [id]))];
  const one = async (query: string, id: string) => (await many(query, id))[0];
  return {
    submit: batching((operations) => commitBatch(writer, operations), seed),
    async account(accountId) {
      const row = await one(ACCOUNT, accountId);
      if (!row) return undefined;
      return {
        balance: row.balance_nano,
        held: row.held_nano,
        inFlight: Number(row.in_flight),
        freeInFlight: Number(row.free_in_flight),
        frozen: row.frozen,
        paid: row.paid_nano,
        paidSpent: row.paid_spent_nano,
        entrySum: BigInt(row.entry_sum),
        holdSum: BigInt(row.hold_sum),
      };
    },
    losses: async (accountId) => toLosses(await many(LOSSES, accountId), await one(LOSS_DAY, accountId)),
    profit: async (accountId) => toProfit(await one(PROFIT, accountId)),
    async budget(keyId) {
      const row = await one('SELECT spent_nano, held_nano FROM budgets WHERE key_id = $1', keyId);
      return row && { spent: row.spent_nano, held: row.held_nano };
    },
    async card(hash) {
      const row = await one('SELECT state, redeemed_by FROM cards WHERE hash = $1', hash);
      return row && { state: row.state, redeemedBy: row.redeemed_by };
    },
    async usage(requestId) {
      const row = await one(USAGE, requestId);
      if (!row) return undefined;
      const { cost_nano: cost, status, balance_after_nano: balanceAfter, rule, upstream_nano: upstreamCost } = row;
      return { cost, paid: row.paid_nano, status, balanceAfter, rule, upstreamCost, entries: Number(row.entries) };
    },
  };
}

const ACCOUNT = `SELECT balance_nano, held_nano, in_flight, free_in_flight, frozen, paid_nano, paid_spent_nano,
    (SELECT coalesce(sum(CASE WHEN credit = account_id THEN amount_nano ELSE -amount_nano END), 0)
     FROM entries WHERE entries.account_id = wallets.account_id)::text AS entry_sum,
    (SELECT coalesce(sum(amount_nano), 0) FROM holds WHERE holds.account_id = wallets.account_id)::text AS hold_sum
  FROM wallets WHERE account_id = $1`;
const USAGE = `SELECT cost_nano, status, balance_after_nano, rule, upstream_nano,
    (SELECT count(*) FROM entries WHERE kind = 'usage' AND reference = request_id) AS entries,
    (SELECT paid_nano FROM entries WHERE kind = 'usage' AND reference = request_id) AS paid_nano
  FROM usage_records WHERE request_id = $1`;

test(
  `PostgreSQL agrees with the model over ${HISTORIES} histories that share their commits`,
  async () => {
    const subject = postgresSubject(HISTORIES);
    expect(await runHistories({ subject: () => subject, runs: HISTORIES, lanes: 48 })).toBeUndefined();
    const store = await openPostgresStore({ url: database.url, clock: systemClock });
    expect((await store.read.audit({})).differences).toEqual([]);
    expect(await compareProfit((query) => database.sql(query), store.read.profit)).toBeUndefined();
    await store.close();
  },
  TIMEOUT_MS,
);
