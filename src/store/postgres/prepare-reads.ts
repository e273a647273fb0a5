// The questions of the store in PostgreSQL's words.

import { assert } from '../../kit/assert.ts';
import { decodeWrongEntry, lastWrongEntry } from '../accepted-chains.ts';
import { AUDIT_HOUSE, toHouse } from '../audit-queries.ts';
import { decodeUsedDay, KEPT_AT, lastUsedDay, USAGE_KEPT_FROM } from '../kept-usage.ts';
import { decodeLosses, lossesQuestion } from '../losses.ts';
import { decodeHoldSums, decodeOpenHold, HOLD_SUMS, OPEN_HOLDS } from '../open-holds.ts';
import {
  actionsQuestion,
  alarmsQuestion,
  CHANNEL_DAYS,
  cardCountsQuestion,
  channelRevisionsQuestion,
  decodeAction,
  decodeAlarm,
  decodeCardCount,
  decodeChannelDay,
  decodeChannelRevision,
  decodeFound,
  decodeOpenAlarms,
  decodeRevenue,
  findAccountsQuestion,
  openAlarmsQuestion,
  REVENUE_BY_DAY,
  REVISIONS_BEFORE,
  WAS_APPLIED,
} from '../operator-queries.ts';
import type { Question } from '../question.ts';
import type { Reads } from '../reads.ts';
import type { Incident, Lease, Login, TrafficHour, Wallet, Window } from '../rows.ts';
import { ADDITIONS, decodeRow, KEY_BUDGETS, KEYS, PAGES, REVISIONS, STORED_ENTRIES, type Table } from '../tables.ts';
import {
  decodeDay,
  decodeKeySpend,
  decodeTrafficDay,
  SPEND_BY_DAY,
  SPEND_BY_KEY,
  TRAFFIC_BY_DAY,
  trafficHourOf,
} from '../usage-days.ts';
import { audit } from './audit.ts';
import type { Pool } from './pool.ts';
import { numbered, usagePage } from './usage-page.ts';

/** The operator's reports and the upkeep of keys look at all there is of what only ever grows. */
const REPORT_MS = 60_000;

export interface ReadPools {
  /** Shared: a question here stands in line behind others, so only quick ones are asked. */
  pool: Pick<Pool, 'ask'>;
  pulsePool: Pick<Pool, 'ask'>;
  slowPool: Pool;
}

/** What may take long has connections of its own, so that a key's look-up never waits behind an audit. */
export function prepareReads({ pool, pulsePool, slowPool }: ReadPools): Reads {
  const many =
    <Row>(table: Table<Row>, rest: string, from: Pick<Pool, 'ask'> = pool) =>
    async (...values: unknown[]): Promise<Row[]> => {
      const rows = await from.ask({ sql: `SELECT * FROM ${table.name} ${rest}`, values });
      return rows.map((row) => decodeRow(table, row));
    };
  const one = <Row>(table: Table<Row>, rest: string) => {
    const ask = many(table, rest);
    return async (...values: unknown[]): Promise<Row | undefined> => (await ask(...values))[0];
  };
  const ask = (question: Question) => slowPool.ask(numbered(question));
  const reports: Pick<Pool, 'ask'> = {
    async ask(query) {
      const [rows] = await slowPool.askTogether([query], { statementMs: REPORT_MS });
      assert(rows, 'every question is answered');
      return rows;
    },
  };
  const report = (question: Question) => reports.ask(numbered(question));
  const account = one(ADDITIONS.accounts, 'WHERE account_id = $1');
  const entriesOf = many(STORED_ENTRIES, 'WHERE account_id = $1 AND entry_id < $2 ORDER BY entry_id DESC LIMIT $3');
  const creditsOf = many(
    STORED_ENTRIES,
    `WHERE account_id = $1 AND entry_id < $2 AND credit = account_id AND kind <> 'usage' ORDER BY entry_id DESC LIMIT $3`,
  );
  const usageRecord = one(ADDITIONS.usage, 'WHERE request_id = $1 AND account_id = $2');
  const cards = many(
    PAGES.cards,
    `WHERE ($1::text IS NULL OR batch_id = $1) AND ($2::text IS NULL OR state = $2)
       AND ($3::text[] IS NULL OR serial = ANY($3))
       AND ($5::bigint IS NULL OR (expires_at IS NOT NULL AND expires_at <= $5) = $6::boolean)
       AND ($7::text IS NULL OR batch_id < $7 OR (batch_id = $7 AND serial > $8::text))
     ORDER BY batch_id DESC, serial LIMIT $4`,
    slowPool,
  );
  return {
    // Its own hash is preferred to one that a rotation left behind, as two questions would find it.
    keyByHash: one(KEYS, 'WHERE hash = $1 OR old_hash = $1 ORDER BY hash = $1 DESC LIMIT 1'),
    keysOf: many(KEYS, 'WHERE account_id = $1 ORDER BY created_at, key_id'),
    keyById: one(KEYS, 'WHERE key_id = $1'),
    unusedKeys: many(
      KEYS,
      `WHERE revoked_at IS NULL AND created_at < $1 AND $1 >= ${KEPT_AT}
         AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.account_id = keys.account_id AND kind IN ('card', 'credit'))
         AND NOT EXISTS (SELECT 1 FROM usage_records AS used WHERE used.account_id = keys.account_id
                           AND used.key_id = keys.key_id AND used.at >= $1)
         AND NOT EXISTS (SELECT 1 FROM holds WHERE holds.account_id = keys.account_id AND holds.key_id = keys.key_id)
       ORDER BY key_id LIMIT $2`,
      reports,
    ),
    wallet: one<Wallet>(PAGES.wallets, 'WHERE account_id = $1'),
    window: one<Window>(PAGES.windows, 'WHERE window_id = $1'),
    budgetsOf: many(KEY_BUDGETS, 'WHERE key_id = ANY($1)'),
    usagePage: (query) => usagePage(slowPool, query),
    spendByDay: async (accountId, sinceDay) =>
      (await slowPool.ask(numbered({ sql: SPEND_BY_DAY, values: [accountId, sinceDay] }))).map(decodeDay),
    spendByKey: async (accountId, sinceDay) =>
      (await slowPool.ask(numbered({ sql: SPEND_BY_KEY, values: [accountId, sinceDay] }))).map(decodeKeySpend),
    usageRecord: (accountId, requestId) => usageRecord(requestId, accountId),
    entriesOf: (accountId, limit, before = Number.MAX_SAFE_INTEGER) => entriesOf(accountId, before, limit),
    creditsOf: (accountId, limit, before = Number.MAX_SAFE_INTEGER) => creditsOf(accountId, before, limit),
    creditBy: one(ADDITIONS.entries, `WHERE kind = 'credit' AND reference = $1`),
    usageEntry: one(ADDITIONS.entries, `WHERE account_id = $1 AND kind = 'usage' AND reference = $2`),
    wrongChain: async (accountId) =>
      decodeWrongEntry((await slowPool.ask({ sql: lastWrongEntry('$1'), values: [accountId] }))[0]),
    openHolds: async (accountId) =>
      (await pool.ask({ sql: `${OPEN_HOLDS} WHERE account_id = $1 ORDER BY opened_at`, values: [accountId] })).map(
        decodeOpenHold,
      ),
    holdSums: async () => decodeHoldSums((await pool.ask({ sql: HOLD_SUMS }))[0]),
    cards: ({ batchId, state, expiry, serials, after, limit }) =>
      cards(
        batchId ?? null,
        state ?? null,
        serials === undefined ? null : [...serials],
        limit,
        expiry?.at ?? null,
        expiry?.isOver ?? false,
        after?.batchId ?? null,
        after?.serial ?? null,
      ),
    cardBatches: many(ADDITIONS.cardBatches, 'ORDER BY created_at DESC, batch_id DESC LIMIT $1'),
    newestRevision: one(REVISIONS, 'ORDER BY revision DESC LIMIT 1'),
    revision: one(REVISIONS, 'WHERE revision = $1'),
    wasApplied: async (sourceHash) => (await pool.ask(numbered({ sql: WAS_APPLIED, values: [sourceHash] }))).length > 0,
    async pulse() {
      const [row] = await pulsePool.ask({ sql: PULSE });
      return { revision: Number(row?.revision ?? 0), keysVersion: String(row?.keys_version) };
    },
    orphanedHolds: async ({ deadNodes, limit }) =>
      (await pool.ask({ sql: ORPHANED_HOLDS, values: [[...deadNodes], limit] })).map(decodeOpenHold),
    leases: many<Lease>(PAGES.leases, ''),
    trafficSince: many<TrafficHour>(PAGES.traffic, 'WHERE hour >= $1 ORDER BY hour, traffic_id'),
    trafficDays: async (sinceDay) =>
      (await slowPool.ask(numbered({ sql: TRAFFIC_BY_DAY, values: [trafficHourOf(sinceDay)] }))).map(decodeTrafficDay),
    login: one<Login>(PAGES.logins, 'WHERE account_id = $1'),
    async accountByLogin(name) {
      const [row] = await pool.ask({ sql: 'SELECT account_id FROM login_names WHERE name = $1', values: [name] });
      return row === undefined ? undefined : String(row.account_id);
    },
    incidents: many<Incident>(PAGES.incidents, 'ORDER BY started_at DESC, incident_id DESC LIMIT $1'),
    revisions: async (before, limit) =>
      (await ask({ sql: REVISIONS_BEFORE, values: [before, limit] })).map((row) => decodeRow(REVISIONS, row)),
    actions: async (query) => (await ask(actionsQuestion(query))).map(decodeAction),
    alarms: async (query) => (await ask(alarmsQuestion(query))).map(decodeAlarm),
    openAlarms: async (wanted) => (await ask(openAlarmsQuestion(wanted))).map(decodeOpenAlarms),
    findAccounts: async (wanted, limit) => (await ask(findAccountsQuestion(wanted, limit))).map(decodeFound),
    accountSince: async (accountId) => (await account(accountId))?.createdAt,
    cardBatch: one(ADDITIONS.cardBatches, 'WHERE batch_id = $1'),
    cardCounts: async (batchId, at) => (await ask(cardCountsQuestion(batchId, at))).map(decodeCardCount),
    houseAccounts: async () => toHouse(await report({ sql: AUDIT_HOUSE, values: [] })),
    writeOffs: many(ADDITIONS.entries, `WHERE kind = 'write_off' ORDER BY entry_id DESC LIMIT $1`, slowPool),
    revenueByDay: async (sinceDay) => (await report({ sql: REVENUE_BY_DAY, values: [sinceDay] })).map(decodeRevenue),
    usageKeptFrom: async () => Number((await pool.ask({ sql: USAGE_KEPT_FROM }))[0]?.day),
    lastUsedDay: async (before) => decodeUsedDay((await ask({ sql: lastUsedDay('$1'), values: [before] }))[0]),
    channelDays: async (channel, fromDay, toDay) =>
      (await report({ sql: CHANNEL_DAYS, values: [channel, fromDay, toDay] })).map(decodeChannelDay),
    channelRevisions: async (channel, day) =>
      (await report(channelRevisionsQuestion(channel, day))).map(decodeChannelRevision),
    losses: async (query) => decodeLosses(await report(lossesQuestion(query))),
    audit: (scope) => audit(slowPool, scope),
  };
}

const ORPHANED_HOLDS = `${OPEN_HOLDS}
  WHERE node_id NOT IN (SELECT node_id FROM leases) OR node_id = ANY($1::text[]) LIMIT $2`;
const PULSE = `SELECT (SELECT coalesce(max(revision), 0) FROM revisions) AS revision,
  (SELECT version FROM versions WHERE name = 'keys') || ' since ' || extract(epoch FROM pg_postmaster_start_time())
    AS keys_version`;
