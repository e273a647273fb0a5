// Reads of usage records and of their sums by Taipei day, and of the traffic of channels.

import { HOUR_MS } from '../kit/clock.ts';
import { taipeiDayStart } from '../kit/taipei.ts';
import { USAGE_KEPT_FROM } from './kept-usage.ts';
import { REFUNDS } from './profit-reads.ts';
import {
  all,
  ask,
  many,
  one,
  QUICK,
  QUICK_JOURNALED,
  REPORT,
  type Row,
  type Rows,
  read,
  rowOf,
  SLOW,
  SLOW_JOURNALED,
} from './read.ts';
import { TRAFFIC, USAGE } from './rows.ts';
import { decoder, money, number, text } from './table.ts';
import {
  decodeTotals,
  groupDaysQuery,
  groupHoursQuery,
  pageQuery,
  SUMMED,
  TOTAL_FIELDS,
  totalsByKeyQuery,
  totalsQuery,
  type UsageGroup,
  type UsageQuery,
} from './usage-queries.ts';

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

const SPEND = { requests: number('requests'), cost: money('cost_nano') };

/** Of all accounts, minus refunds. */
const REVENUE = { requests: number('requests'), accounts: number('accounts'), revenue: money('cost_nano') };
const decodeModelUse = decoder({ model: text('model'), ...REVENUE });
export interface ModelUse extends ReturnType<typeof decodeModelUse> {}

/** A channel's traffic for one model, by its public id, on one Taipei day. */
const CHANNEL_DAY = { day: number('day'), model: text('model'), ...TOTAL_FIELDS };
const decodeChannelDay = decoder(CHANNEL_DAY);
export interface ChannelDay extends ReturnType<typeof decodeChannelDay> {}

/** How calls of one channel and model ended on one Taipei day. */
const decodeTrafficDay = decoder({
  day: number('day'),
  channel: text('channel'),
  model: text('model'),
  ok: number('ok'),
  failed: number('failed'),
});
export interface TrafficDay extends ReturnType<typeof decodeTrafficDay> {}

export const USAGE_READS = {
  /** One page, newest first, by key and not by offset; and the totals of the whole filter. */
  usagePage: {
    ...SLOW_JOURNALED,
    ask: (query: UsageQuery) => [totalsQuery(query), pageQuery(query)],
    decode: ([totals, rows = []]: readonly Rows[], { limit }: UsageQuery) => ({
      records: rows.slice(0, limit).map(rowOf(USAGE)),
      hasMore: rows.length > limit,
      totals: decodeTotals(totals?.[0]),
    }),
  },
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
    all(decoder({ keyId: text('key_id'), ...TOTAL_FIELDS })),
  ),
  /** The sums of each day by model or by key, oldest first; those without a request are left out. */
  usageByDay: read(
    SLOW_JOURNALED,
    (query: UsageQuery, by: UsageGroup, from: number, to: number) => groupDaysQuery(query, by, from, to),
    all(decoder({ day: number('day'), name: text('name'), ...TOTAL_FIELDS })),
  ),
  /** The same by hour of one day. */
  usageByHour: read(
    SLOW_JOURNALED,
    (query: UsageQuery, by: UsageGroup, day: number) => groupHoursQuery(query, by, day),
    all(decoder({ hour: number('hour'), name: text('name'), ...TOTAL_FIELDS })),
  ),
  /** Days without a request are left out; oldest first. With `keyIds`, of these keys only. */
  spendByDay: read(
    SLOW_JOURNALED,
    (accountId: string, sinceDay: number, keyIds?: readonly string[]) =>
      keyIds
        ? ask(spendBy('day', ' AND key_id = ANY(?)'), accountId, sinceDay, keyIds)
        : ask(spendBy('day'), accountId, sinceDay),
    all(decoder({ day: number('day'), ...SPEND })),
  ),
  /** The same sums by key; keys without a request are omitted. */
  spendByKey: read(
    SLOW_JOURNALED,
    (accountId: string, sinceDay: number) => ask(spendBy('key_id'), accountId, sinceDay),
    all(decoder({ keyId: text('key_id'), ...SPEND })),
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
  revenueByDay: read(
    REPORT,
    (sinceDay: number) => ask(REVENUE_BY_DAY, sinceDay, sinceDay),
    all(decoder({ day: number('day'), ...REVENUE })),
  ),
  /** Requests of each model, how many accounts sent them, and what these paid. Models without a request are left out. */
  useByModel: read(REPORT, (sinceDay: number) => ask(USE_BY_MODEL, sinceDay), all(decodeModelUse)),
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
    all(decoder({ ...CHANNEL_DAY, revision: number('revision') })),
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
