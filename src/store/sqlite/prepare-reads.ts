// The questions of the store in SQLite's words. The reader's thread may block, the event loop may not: so they are
// answered at once here, and awaited there.

import type { Database } from 'bun:sqlite';
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
import type { ReadName, Reads } from '../reads.ts';
import type { Incident, Lease, Login, TrafficHour, Wallet, Window } from '../rows.ts';
import {
  ADDITIONS,
  decodeRow,
  KEY_BUDGETS,
  KEYS,
  PAGES,
  REVISIONS,
  type SqlValue,
  STORED_ENTRIES,
  type Table,
} from '../tables.ts';
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
import { usagePage } from './usage-page.ts';

export type SyncReads = { [Name in ReadName]: (...args: Parameters<Reads[Name]>) => Awaited<ReturnType<Reads[Name]>> };

type Columns = Record<string, unknown>;

export function prepareReads(db: Database): SyncReads {
  const many = <Row>(table: Table<Row>, rest: string) => {
    const statement = db.prepare<Columns, (string | number)[]>(`SELECT * FROM ${table.name} ${rest}`);
    return (...values: (string | number)[]): Row[] => statement.all(...values).map((row) => decodeRow(table, row));
  };
  const one = <Row>(table: Table<Row>, rest: string) => {
    const statement = db.prepare<Columns, (string | number)[]>(`SELECT * FROM ${table.name} ${rest}`);
    return (...values: (string | number)[]): Row | undefined => {
      const row = statement.get(...values);
      return row ? decodeRow(table, row) : undefined;
    };
  };
  const keyByHash = one(KEYS, 'WHERE hash = ?');
  const keyByOldHash = one(KEYS, 'WHERE old_hash = ?');
  const entriesOf = many(STORED_ENTRIES, 'WHERE account_id = ? AND entry_id < ? ORDER BY entry_id DESC LIMIT ?');
  const creditsOf = many(
    STORED_ENTRIES,
    `WHERE account_id = ? AND entry_id < ? AND credit = account_id AND kind <> 'usage' ORDER BY entry_id DESC LIMIT ?`,
  );
  const budgetsOf = many(KEY_BUDGETS, 'WHERE key_id IN (SELECT value FROM json_each(?))');
  const usageRecord = one(ADDITIONS.usage, 'WHERE request_id = ? AND account_id = ?');
  const pulse = db.prepare<{ revision: bigint; keys_version: bigint }, []>(
    `SELECT (SELECT coalesce(max(revision), 0) FROM revisions) AS revision,
            (SELECT version FROM versions WHERE name = 'keys') AS keys_version`,
  );
  const ask = ({ sql, values }: Question) => db.query<Columns, SqlValue[]>(sql).all(...values);
  const account = one(ADDITIONS.accounts, 'WHERE account_id = ?');
  const revisions = db.prepare<Columns, [number, number]>(REVISIONS_BEFORE);
  const spendByDay = db.prepare<Columns, [string, number]>(SPEND_BY_DAY);
  const spendByKey = db.prepare<Columns, [string, number]>(SPEND_BY_KEY);
  const trafficDays = db.prepare<Columns, [number]>(TRAFFIC_BY_DAY);
  const loginName = db.prepare<{ account_id: string }, [string]>('SELECT account_id FROM login_names WHERE name = ?');
  const applied = db.prepare<Columns, [string]>(WAS_APPLIED);
  const wrongEntry = db.prepare<Columns, [string]>(lastWrongEntry('?'));
  const holdSums = db.prepare<Columns, []>(HOLD_SUMS);
  return {
    keyByHash: (hash) => keyByHash(hash) ?? keyByOldHash(hash),
    keysOf: many(KEYS, 'WHERE account_id = ? ORDER BY created_at, key_id'),
    keyById: one(KEYS, 'WHERE key_id = ?'),
    unusedKeys: many(
      KEYS,
      `WHERE revoked_at IS NULL AND created_at < ?1 AND ?1 >= ${KEPT_AT}
         AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.account_id = keys.account_id AND kind IN ('card', 'credit'))
         AND NOT EXISTS (SELECT 1 FROM usage_records AS used WHERE used.account_id = keys.account_id
                           AND used.key_id = keys.key_id AND used.at >= ?1)
         AND key_id NOT IN (SELECT key_id FROM holds)
       ORDER BY key_id LIMIT ?2`,
    ),
    wallet: one<Wallet>(PAGES.wallets, 'WHERE account_id = ?'),
    window: one<Window>(PAGES.windows, 'WHERE window_id = ?'),
    budgetsOf: (keyIds) => budgetsOf(JSON.stringify(keyIds)),
    usagePage: (query) => db.transaction(() => usagePage(db, query)).deferred(),
    spendByDay: (accountId, sinceDay) => spendByDay.all(accountId, sinceDay).map(decodeDay),
    spendByKey: (accountId, sinceDay) => spendByKey.all(accountId, sinceDay).map(decodeKeySpend),
    usageRecord: (accountId, requestId) => usageRecord(requestId, accountId),
    entriesOf: (accountId, limit, before = Number.MAX_SAFE_INTEGER) => entriesOf(accountId, before, limit),
    creditsOf: (accountId, limit, before = Number.MAX_SAFE_INTEGER) => creditsOf(accountId, before, limit),
    creditBy: one(ADDITIONS.entries, `WHERE kind = 'credit' AND reference = ?`),
    usageEntry: one(ADDITIONS.entries, `WHERE account_id = ? AND kind = 'usage' AND reference = ?`),
    wrongChain: (accountId) => decodeWrongEntry(wrongEntry.get(accountId)),
    openHolds: (accountId) =>
      db
        .query<Columns, [string]>(`${OPEN_HOLDS} WHERE account_id = ? ORDER BY opened_at`)
        .all(accountId)
        .map(decodeOpenHold),
    holdSums: () => decodeHoldSums(holdSums.get()),
    cards: ({ batchId, state, expiry, serials, after, limit }) =>
      db
        .query<Columns, SqlValue[]>(
          `SELECT * FROM cards WHERE (?1 IS NULL OR batch_id = ?1) AND (?2 IS NULL OR state = ?2)
             AND (?3 IS NULL OR serial IN (SELECT value FROM json_each(?3)))
             AND (?5 IS NULL OR (expires_at IS NOT NULL AND expires_at <= ?5) = ?6)
             AND (?7 IS NULL OR batch_id < ?7 OR (batch_id = ?7 AND serial > ?8))
           ORDER BY batch_id DESC, serial LIMIT ?4`,
        )
        .all(
          batchId ?? null,
          state ?? null,
          serials ? JSON.stringify(serials) : null,
          limit,
          expiry?.at ?? null,
          expiry?.isOver ? 1 : 0,
          after?.batchId ?? null,
          after?.serial ?? null,
        )
        .map((row) => decodeRow(PAGES.cards, row)),
    cardBatches: many(ADDITIONS.cardBatches, 'ORDER BY created_at DESC, batch_id DESC LIMIT ?'),
    newestRevision: one(REVISIONS, 'ORDER BY revision DESC LIMIT 1'),
    revision: one(REVISIONS, 'WHERE revision = ?'),
    wasApplied: (sourceHash) => applied.get(sourceHash) !== null,
    pulse() {
      const row = pulse.get();
      return { revision: Number(row?.revision ?? 0), keysVersion: String(row?.keys_version) };
    },
    orphanedHolds: ({ deadNodes, limit }) =>
      db
        .query<Columns, [string, number]>(
          `${OPEN_HOLDS}
           WHERE node_id NOT IN (SELECT node_id FROM leases)
              OR node_id IN (SELECT value FROM json_each(?1))
           LIMIT ?2`,
        )
        .all(JSON.stringify(deadNodes), limit)
        .map(decodeOpenHold),
    leases: many<Lease>(PAGES.leases, ''),
    trafficSince: many<TrafficHour>(PAGES.traffic, 'WHERE hour >= ? ORDER BY hour, traffic_id'),
    trafficDays: (sinceDay) => trafficDays.all(trafficHourOf(sinceDay)).map(decodeTrafficDay),
    login: one<Login>(PAGES.logins, 'WHERE account_id = ?'),
    accountByLogin: (name) => loginName.get(name)?.account_id,
    incidents: many<Incident>(PAGES.incidents, 'ORDER BY started_at DESC, incident_id DESC LIMIT ?'),
    revisions: (before, limit) => revisions.all(before, limit).map((row) => decodeRow(REVISIONS, row)),
    actions: (query) => ask(actionsQuestion(query)).map(decodeAction),
    alarms: (query) => ask(alarmsQuestion(query)).map(decodeAlarm),
    openAlarms: (wanted) => ask(openAlarmsQuestion(wanted)).map(decodeOpenAlarms),
    findAccounts: (wanted, limit) => ask(findAccountsQuestion(wanted, limit)).map(decodeFound),
    accountSince: (accountId) => account(accountId)?.createdAt,
    cardBatch: one(ADDITIONS.cardBatches, 'WHERE batch_id = ?'),
    cardCounts: (batchId, at) => ask(cardCountsQuestion(batchId, at)).map(decodeCardCount),
    houseAccounts: () => toHouse(ask({ sql: AUDIT_HOUSE, values: [] })),
    writeOffs: many(ADDITIONS.entries, `WHERE kind = 'write_off' ORDER BY entry_id DESC LIMIT ?`),
    revenueByDay: (sinceDay) => ask({ sql: REVENUE_BY_DAY, values: [sinceDay] }).map(decodeRevenue),
    usageKeptFrom: () => Number(ask({ sql: USAGE_KEPT_FROM, values: [] })[0]?.day),
    lastUsedDay: (before) => decodeUsedDay(ask({ sql: lastUsedDay('?'), values: [before] })[0]),
    channelDays: (channel, fromDay, toDay) =>
      ask({ sql: CHANNEL_DAYS, values: [channel, fromDay, toDay] }).map(decodeChannelDay),
    channelRevisions: (channel, day) => ask(channelRevisionsQuestion(channel, day)).map(decodeChannelRevision),
    losses: (query) => decodeLosses(ask(lossesQuestion(query))),
    audit: (scope) => db.transaction(() => audit(db, scope)).deferred(),
  };
}
