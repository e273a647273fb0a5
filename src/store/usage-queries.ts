// The queries of a usage listing, in the SQL that both databases understand; values are always parameters. Totals
// come from the sums of whole days, and from records only where a time cuts a day in two. A filtered page looks only into
// days that the sums say have a match.

import { DAY_MS, HOUR_MS } from '../kit/clock.ts';
import { taipeiDay, taipeiDayStart } from '../kit/taipei.ts';
import { type Condition, given, onlyGiven, type SqlQuery, where } from './read.ts';
import { IS_FAILED } from './rows.ts';
import { columnsOf, count, decoder, sum } from './table.ts';

export interface UsageQuery {
  accountId: string;
  from?: number;
  to?: number;
  /** Any of these. */
  models?: readonly string[];
  channel?: string;
  keyId?: string;
  /** Any of these; none of them: no record. */
  keyIds?: readonly string[];
  status?: string;
  /** Every status but ok. */
  isFailed?: boolean;
  /** Instead of the newest first. */
  sort?: UsageSort;
  /** With `sort`, instead of `after`: the value of the last record of the page before. */
  sortedAfter?: { value: number; requestId: string };
  limit: number;
  /** The last record of the page before. */
  after?: { at: number; requestId: string };
}

export const USAGE_SORTS = ['cost', 'duration'] as const;

export type UsageSort = (typeof USAGE_SORTS)[number];

/** Sorting covers this many of the newest matches: a bound for accounts with millions of records. */
export const MAX_SORTED = 20_000;

/** The field that usage is grouped by. */
export type UsageGroup = 'model' | 'key';

/** Selects one account's rows by the filters that sums and records share. */
function common(query: UsageQuery): Condition[] {
  return [['account_id = ?', query.accountId], ...filters(query)];
}

function filters({ models, keyIds, isFailed, channel, keyId, status }: UsageQuery): Condition[] {
  return onlyGiven([
    models && [`model IN (${models.map(() => '?').join(', ')})`, ...models],
    given('key_id = ANY(?)', keyIds),
    isFailed && [IS_FAILED],
    given('channel = ?', channel),
    given('key_id = ?', keyId),
    given('status = ?', status),
  ]);
}

/** The sums of everything that usage is listed by. */
export const TOTAL_FIELDS = {
  requests: count('requests'),
  input: count('input_tokens'),
  cachedInput: count('cached_input_tokens'),
  cacheWrite5m: count('cache_write_5m_tokens'),
  cacheWrite1h: count('cache_write_1h_tokens'),
  output: count('output_tokens'),
  reasoning: count('reasoning_tokens'),
  images: count('images'),
  seconds: count('seconds'),
  characters: count('characters'),
  searches: count('searches'),
  cost: sum('cost_nano'),
};
export const decodeTotals = decoder(TOTAL_FIELDS);
export interface UsageTotals extends ReturnType<typeof decodeTotals> {}

/** The columns of the daily sums. */
const SUM_COLUMNS = columnsOf(TOTAL_FIELDS).map(({ name }) => name);
/** The columns to sum, for records and for daily sums. */
export const SUMMED = SUM_COLUMNS.filter((name) => name !== 'requests');
const TOTALS = SUM_COLUMNS.map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(', ');

export function totalsQuery(query: UsageQuery): SqlQuery {
  const { sql, values } = summedParts(query);
  return { sql: `SELECT ${TOTALS} FROM (${sql}) AS parts`, values };
}

export function totalsByKeyQuery(query: UsageQuery): SqlQuery {
  const { sql, values } = summedParts(query);
  return { sql: `SELECT key_id, ${TOTALS} FROM (${sql}) AS parts GROUP BY key_id ORDER BY key_id`, values };
}

const GROUP_COLUMNS = { model: 'model', key: 'key_id' } as const;

/** From sums alone: of days that the query cuts in two, the whole day. `to` is the day after the last. */
export function groupDaysQuery(query: UsageQuery, by: UsageGroup, from: number, to: number): SqlQuery {
  const column = GROUP_COLUMNS[by];
  const { sql, values } = where([...common(query), ['day >= ?', from], ['day < ?', to]]);
  return {
    sql: `SELECT day, ${column} AS name, ${TOTALS} FROM usage_days ${sql} GROUP BY day, ${column} ORDER BY day, ${column}`,
    values,
  };
}

/** The hours of one day, from its records, because sums have no hours. */
export function groupHoursQuery(query: UsageQuery, by: UsageGroup, day: number): SqlQuery {
  const since = taipeiDayStart(day);
  const { sql, values } = where([...common(query), ['at >= ?', since], ['at < ?', since + DAY_MS]]);
  return {
    sql: `SELECT hour, name, ${TOTALS} FROM (
        SELECT (at - ?) / ${HOUR_MS} AS hour, ${GROUP_COLUMNS[by]} AS name, 1 AS requests, ${SUMMED.join(', ')}
        FROM usage_records ${sql}
      ) AS parts GROUP BY hour, name ORDER BY hour, name`,
    values: [since, ...values],
  };
}

/** Whole days from their sums, the rest from records. */
function summedParts(query: UsageQuery): SqlQuery {
  const { days, pieces } = splitDays(query.from, query.to);
  const parts = [
    ...(days ? [{ columns: SUM_COLUMNS.join(', '), from: 'usage_days', conditions: days }] : []),
    ...pieces.map((conditions) => ({
      columns: `1 AS requests, ${SUMMED.join(', ')}`,
      from: 'usage_records',
      conditions,
    })),
  ].map(({ columns, from, conditions }) => {
    const { sql, values } = where([...common(query), ...conditions]);
    return { sql: `SELECT key_id, ${columns} FROM ${from} ${sql}`, values };
  });
  return { sql: parts.map(({ sql }) => sql).join(' UNION ALL '), values: parts.flatMap(({ values }) => values) };
}

/** Splits a period into whole days and the partial days at its ends. */
function splitDays(from: number | undefined, to: number | undefined): { days?: Condition[]; pieces: Condition[][] } {
  const first = from === undefined ? undefined : Math.ceil(taipeiDays(from));
  const end = to === undefined ? undefined : Math.floor(taipeiDays(to));
  const piece = (since: number, until: number): Condition[] => [
    ['at >= ?', since],
    ['at < ?', until],
  ];
  if (from !== undefined && to !== undefined && first !== undefined && end !== undefined && first > end) {
    return { pieces: [piece(from, to)] };
  }
  return {
    days: onlyGiven([given('day >= ?', first), given('day < ?', end)]),
    pieces: [
      ...(from === undefined || first === undefined ? [] : [piece(from, taipeiDayStart(first))]),
      ...(to === undefined || end === undefined ? [] : [piece(taipeiDayStart(end), to)]),
    ].filter(([since, until]) => since?.[1] !== until?.[1]),
  };
}

function taipeiDays(at: number): number {
  return (at - taipeiDayStart(0)) / DAY_MS;
}

export function pageQuery(query: UsageQuery): SqlQuery {
  const { from, to, after } = query;
  const conditions = onlyGiven([
    ...common(query),
    given('at >= ?', from),
    given('at < ?', to),
    after && ['(at, request_id) < (?, ?)', after.at, after.requestId],
  ]);
  if (query.sort) return sortedPage(query, query.sort, conditions);
  return filters(query).length > 0 ? filteredPage(query, conditions) : plainPage(query, conditions);
}

const NEWEST_FIRST = 'ORDER BY at DESC, request_id DESC LIMIT ?';

function plainPage(query: UsageQuery, conditions: readonly Condition[]): SqlQuery {
  const { sql, values } = where(conditions);
  return { sql: `SELECT * FROM usage_records ${sql} ${NEWEST_FIRST}`, values: [...values, query.limit + 1] };
}

const SORT_COLUMNS = { cost: 'cost_nano', duration: 'total_ms' } as const;

function sortedPage(query: UsageQuery, sort: UsageSort, conditions: readonly Condition[]): SqlQuery {
  const { sql, values } = where(conditions);
  const column = SORT_COLUMNS[sort];
  const { sortedAfter: after } = query;
  const rest = where([after && [`(${column}, request_id) < (?, ?)`, after.value, after.requestId]]);
  return {
    sql: `SELECT * FROM (SELECT * FROM usage_records ${sql} ${NEWEST_FIRST}) AS newest ${rest.sql}
      ORDER BY ${column} DESC, request_id DESC LIMIT ?`,
    values: [...values, MAX_SORTED, ...rest.values, query.limit + 1],
  };
}

/**
 * The days before which more than a page of matches lies are not looked at. What a day has counts only from the one below
 * the newest on: of that one a part may be cut away.
 */
function filteredPage(query: UsageQuery, conditions: readonly Condition[]): SqlQuery {
  const newest = Math.min(query.to ?? Number.MAX_SAFE_INTEGER, query.after?.at ?? Number.MAX_SAFE_INTEGER);
  const newestDay = taipeiDay(newest);
  const days = where([
    ...common(query),
    ['day <= ?', newestDay],
    given('day >= ?', query.from === undefined ? undefined : taipeiDay(query.from)),
  ]);
  const records = where([['at >= since'], ['at < until'], ...conditions]);
  return {
    sql: `WITH matched AS (
        SELECT day, sum(CASE WHEN day < ? THEN requests ELSE 0 END) AS requests
        FROM usage_days ${days.sql} GROUP BY day
      ), counted AS (
        SELECT day, sum(requests) OVER (ORDER BY day DESC) - requests AS newer FROM matched
      ), near AS (
        SELECT day * ${DAY_MS} + ${taipeiDayStart(0)} AS since, (day + 1) * ${DAY_MS} + ${taipeiDayStart(0)} AS until
        FROM counted WHERE newer <= ?
      ), page AS (
        SELECT request_id FROM near CROSS JOIN usage_records
        ${records.sql} ${NEWEST_FIRST}
      )
      SELECT * FROM usage_records WHERE request_id IN (SELECT request_id FROM page) ORDER BY at DESC, request_id DESC`,
    values: [newestDay, ...days.values, query.limit, ...records.values, query.limit + 1],
  };
}
