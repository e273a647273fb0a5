// Reads of usage records and of their sums by Taipei day, and of the traffic of channels.

import { HOUR_MS } from '../kit/clock.ts';
import { taipeiDayStart } from '../kit/taipei.ts';
import { USAGE_KEPT_FROM } from './kept-usage.ts';
import {
  all,
  ask,
  many,
  one,
  QUICK,
  QUICK_JOURNALED,
  REPORT,
  type Read,
  type Row,
  read,
  rowOf,
  SLOW,
  SLOW_JOURNALED,
} from './read.ts';
import type {
  ChannelDay,
  ChannelRevision,
  DaySpend,
  GroupDay,
  GroupHour,
  KeySpend,
  KeyTotals,
  ModelUse,
  RevenueDay,
  TrafficDay,
  UsageGroup,
  UsagePage,
  UsageQuery,
} from './reads.ts';
import { REFUNDS } from './refunds.ts';
import { TRAFFIC, USAGE } from './rows.ts';
import {
  decodeTotals,
  groupDaysQuery,
  groupHoursQuery,
  pageQuery,
  SUMMED,
  totalsByKeyQuery,
  totalsQuery,
} from './usage-queries.ts';

/** One page, newest first, by key and not by offset; and the totals of the whole filter. */
const usagePage: Read<[query: UsageQuery], UsagePage> = {
  ...SLOW_JOURNALED,
  ask: (query) => [totalsQuery(query), pageQuery(query)],
  decode: ([totals, rows = []], { limit }) => ({
    records: rows.slice(0, limit).map(rowOf(USAGE)),
    hasMore: rows.length > limit,
    totals: decodeTotals(totals?.[0]),
  }),
};

const spendBy = (
  column: 'day' | 'key_id',
  filter = '',
) => `SELECT ${column}, sum(requests) AS requests, sum(cost_nano) AS cost_nano
  FROM usage_days WHERE account_id = ? AND day >= ?${filter} GROUP BY ${column} ORDER BY ${column}`;

const REVENUE_BY_DAY = `SELECT day, sum(requests) AS requests, count(DISTINCT account_id) AS accounts,
    sum(cost_nano) AS cost_nano
  FROM (
    SELECT day, account_id, requests, cost_nano FROM usage_days WHERE day >= ?
    UNION ALL SELECT day, NULL, 0, -amount_nano FROM ${REFUNDS} WHERE day >= ?
  ) AS parts GROUP BY day ORDER BY day`;

const USE_BY_MODEL = `SELECT model, sum(requests) AS requests, count(DISTINCT account_id) AS accounts,
    sum(cost_nano) AS cost_nano FROM usage_days WHERE day >= ? GROUP BY model ORDER BY model`;

const SUMS = SUMMED.map((name) => `sum(${name}) AS ${name}`).join(', ');
const CHANNEL_DAYS = `SELECT day, model, sum(requests) AS requests, ${SUMS}
  FROM usage_days WHERE channel = ? AND day >= ? AND day < ? GROUP BY day, model ORDER BY day, model`;
/** Records are found by their account: only those of accounts that used the channel that day are looked at. */
const CHANNEL_REVISIONS = `SELECT CAST(? AS BIGINT) AS day, revision, model, count(*) AS requests, ${SUMS}
  FROM usage_records
  WHERE account_id IN (SELECT account_id FROM usage_days WHERE day = ? AND channel = ?)
    AND at >= ? AND at < ? AND channel = ?
  GROUP BY revision, model ORDER BY revision, model`;

/** Hours are counted from the epoch; Taipei is 8 ahead. */
const TRAFFIC_BY_DAY = `SELECT (hour + 8) / 24 AS day, channel, model, sum(ok) AS ok, sum(failed) AS failed
  FROM traffic_hours WHERE hour >= ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;

const OUTPUT_SUMS = 'sum(requests) AS requests, sum(output_tokens) AS output_tokens';
const ANSWERED = "status = 'ok'";
const ACCOUNT_OUTPUT = `SELECT ${OUTPUT_SUMS} FROM usage_days WHERE account_id = ? AND model = ? AND day >= ? AND ${ANSWERED}`;
const OUTPUT_BY_MODEL = `SELECT model, ${OUTPUT_SUMS} FROM usage_days WHERE day >= ? AND ${ANSWERED} GROUP BY model`;

export const USAGE_READS = {
  usagePage,
  usageRecord: one(
    QUICK_JOURNALED,
    USAGE,
    'WHERE request_id = ? AND account_id = ?',
    (accountId: string, requestId: string) => [requestId, accountId],
  ),
  /** The totals of a filter for each key; keys without a request are left out. */
  usageByKey: read(
    SLOW_JOURNALED,
    (query: UsageQuery) => totalsByKeyQuery(query),
    all((row): KeyTotals => ({ keyId: String(row.key_id), ...decodeTotals(row) })),
  ),
  /** The sums of each day by model or by key, oldest first; those without a request are left out. */
  usageByDay: read(
    SLOW_JOURNALED,
    (query: UsageQuery, by: UsageGroup, from: number, to: number) => groupDaysQuery(query, by, from, to),
    all((row): GroupDay => ({ day: Number(row.day), name: String(row.name), ...decodeTotals(row) })),
  ),
  /** The same by hour of one day. */
  usageByHour: read(
    SLOW_JOURNALED,
    (query: UsageQuery, by: UsageGroup, day: number) => groupHoursQuery(query, by, day),
    all((row): GroupHour => ({ hour: Number(row.hour), name: String(row.name), ...decodeTotals(row) })),
  ),
  /** Days without a request are left out; oldest first. With `keyIds`, of these keys only. */
  spendByDay: read(
    SLOW_JOURNALED,
    (accountId: string, sinceDay: number, keyIds?: readonly string[]) =>
      keyIds
        ? ask(spendBy('day', ' AND key_id = ANY(?)'), accountId, sinceDay, keyIds)
        : ask(spendBy('day'), accountId, sinceDay),
    all((row): DaySpend => ({ day: Number(row.day), ...spendOf(row) })),
  ),
  /** The same sums by key; keys without a request are omitted. */
  spendByKey: read(
    SLOW_JOURNALED,
    (accountId: string, sinceDay: number) => ask(spendBy('key_id'), accountId, sinceDay),
    all((row): KeySpend => ({ keyId: String(row.key_id), ...spendOf(row) })),
  ),
  /** Output tokens of an account's answered calls of a model, per call; undefined if there were none. */
  accountOutput: read(
    SLOW_JOURNALED,
    (accountId: string, model: string, sinceDay: number) => ask(ACCOUNT_OUTPUT, accountId, model, sinceDay),
    ([row]) => row && meanOutput(row),
  ),
  /** The same over all accounts, by model. */
  outputByModel: read(
    REPORT,
    (sinceDay: number) => ask(OUTPUT_BY_MODEL, sinceDay),
    (rows) => new Map(rows.map((row) => [String(row.model), meanOutput(row)])),
  ),
  /** Days without a request or a refund are left out; oldest first. */
  revenueByDay: read(REPORT, (sinceDay: number) => ask(REVENUE_BY_DAY, sinceDay, sinceDay), all(decodeRevenue)),
  /** Requests of each model, how many accounts sent them, and what these paid. Models without a request are left out. */
  useByModel: read(
    REPORT,
    (sinceDay: number) => ask(USE_BY_MODEL, sinceDay),
    all((row): ModelUse => {
      const { requests, cost: revenue } = spendOf(row);
      return { model: String(row.model), requests, accounts: Number(row.accounts), revenue };
    }),
  ),
  /**
   * The first Taipei day with complete usage; 0 if none was ever deleted. Read it after the data that it is compared with.
   */
  usageKeptFrom: read(
    QUICK,
    () => ask(USAGE_KEPT_FROM),
    ([row]) => Number(row?.day),
  ),
  /** The last Taipei day with usage before a day; undefined if there is none. */
  lastUsedDay: read(
    SLOW_JOURNALED,
    (before: number) => ask('SELECT max(day) AS day FROM usage_days WHERE day < ?', before),
    ([row]) => (row?.day === null || row?.day === undefined ? undefined : Number(row.day)),
  ),
  /** From a day to the day before another. */
  channelDays: read(
    REPORT,
    (channel: string, fromDay: number, toDay: number) => ask(CHANNEL_DAYS, channel, fromDay, toDay),
    all(decodeChannelDay),
  ),
  /** One day, from its usage records: dearer than `channelDays`. */
  channelRevisions: read(
    REPORT,
    (channel: string, day: number) =>
      ask(CHANNEL_REVISIONS, day, day, channel, taipeiDayStart(day), taipeiDayStart(day + 1), channel),
    all((row): ChannelRevision => ({ ...decodeChannelDay(row), revision: Number(row.revision) })),
  ),
  /** Traffic since that hour (hours since the epoch), oldest first. */
  trafficSince: many(QUICK, TRAFFIC, 'WHERE hour >= ? ORDER BY hour, traffic_id', (hour: number) => [hour]),
  /** The same summed by Taipei day, without times. */
  trafficDays: read(
    SLOW,
    (sinceDay: number) => ask(TRAFFIC_BY_DAY, taipeiDayStart(sinceDay) / HOUR_MS),
    all(decodeTrafficDay),
  ),
};

function meanOutput(row: Row): number | undefined {
  const requests = Number(row.requests ?? 0);
  return requests === 0 ? undefined : Number(row.output_tokens) / requests;
}

function spendOf(row: Row): { requests: number; cost: bigint } {
  return { requests: Number(row.requests), cost: BigInt(String(row.cost_nano)) };
}

function decodeRevenue(row: Row): RevenueDay {
  const { requests, cost: revenue } = spendOf(row);
  return { day: Number(row.day), requests, accounts: Number(row.accounts), revenue };
}

function decodeChannelDay(row: Row): ChannelDay {
  return { day: Number(row.day), model: String(row.model), ...decodeTotals(row) };
}

function decodeTrafficDay(row: Row): TrafficDay {
  return {
    day: Number(row.day),
    channel: String(row.channel),
    model: String(row.model),
    ok: Number(row.ok),
    failed: Number(row.failed),
  };
}
