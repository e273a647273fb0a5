// The operator's figures: profit (what customers paid, what upstreams bill for it, and losses), the sales of a day or a part of
// it, and low balances. Sums by day are read, and of single rows only refunds with their requests.

import { DAY_MS } from '../kit/clock.ts';
import { OFFSET_MS, taipeiDay } from '../kit/taipei.ts';
import { all, ask, REPORT, type Rows, read, readTogether, type SqlQuery } from './read.ts';
import { IS_FAILED } from './rows.ts';
import { count, decoder, sum, text } from './table.ts';

/**
 * Refunds with what is known of their requests, as a table of a statement. They are few: each is found by its kind, its request
 * by its id. `is_known`: it reduces a profit, as the cost of its request is known, or it is for none.
 */
export const REFUNDS = `(
    SELECT e.at, (e.at + ${OFFSET_MS}) / ${DAY_MS} AS day, e.account_id, e.amount_nano, coalesce(u.model, '') AS model,
      coalesce(u.channel, '') AS channel, u.request_id IS NULL OR u.upstream_nano IS NOT NULL AS is_known
    FROM entries e LEFT JOIN usage_records u ON u.request_id = e.refund_of WHERE e.kind = 'refund'
  ) AS refunds`;

export const PROFIT_BY = ['model', 'channel', 'account', 'day'] as const;

export type ProfitBy = (typeof PROFIT_BY)[number];

/** Taipei days, from one to the day before another. */
export interface ProfitQuery {
  by: ProfitBy;
  from: number;
  to: number;
  limit: number;
}

const columnOf = (by: ProfitBy) => (by === 'account' ? 'account_id' : by);

const FIGURES = ['requests', 'revenue', 'known_requests', 'known_revenue', 'cost', 'loss'] as const;
const SUMS = FIGURES.map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(', ');

/** Each asks for the same days. Refunds are few: each takes from the revenue of its request, on its own day. */
const PARTS = [
  `SELECT day, account_id, model, channel, requests, cost_nano AS revenue, known_requests,
    known_revenue_nano AS known_revenue, upstream_nano AS cost, 0 AS loss
  FROM usage_days WHERE day >= ? AND day < ?`,
  `SELECT day, account_id, model, channel, 0, 0, 0, 0, 0, amount_nano FROM loss_sums WHERE day >= ? AND day < ?`,
  `SELECT day, account_id, model, channel, 0, -amount_nano, 0, CASE WHEN is_known THEN -amount_nano ELSE 0 END, 0, 0
  FROM ${REFUNDS} WHERE day >= ? AND day < ?`,
];

const ALL = `(${PARTS.join(' UNION ALL ')}) AS parts`;

function spans(from: number, to: number): number[] {
  return PARTS.flatMap(() => [from, to]);
}

function totalsQuery({ from, to }: ProfitQuery): SqlQuery {
  return ask(`SELECT ${SUMS} FROM ${ALL}`, ...spans(from, to));
}

function sumsQuery({ by, from, to, limit }: ProfitQuery): SqlQuery {
  const column = columnOf(by);
  const order = by === 'day' ? column : `revenue DESC, loss DESC, requests DESC, ${column}`;
  return ask(
    `SELECT ${column} AS key, ${SUMS} FROM ${ALL} GROUP BY ${column} ORDER BY ${order} LIMIT ?`,
    ...spans(from, to),
    limit,
  );
}

const CARDS = `SELECT coalesce(sum(amount_nano), 0) AS sold,
    coalesce(sum(CASE WHEN state = 'redeemed' THEN amount_nano ELSE 0 END), 0) AS redeemed
  FROM cards WHERE kind = 'sold' AND state <> 'voided'`;

const WALLETS = `SELECT coalesce(sum(balance_nano), 0) AS balances, coalesce(sum(paid_nano), 0) AS unspent FROM wallets`;

/** The customers' payments, and the upstreams' bill for them. */
const figuresOf = decoder({
  requests: count('requests'),
  revenue: sum('revenue'),
  /** The requests and the revenue whose upstream cost is known, and that cost. */
  knownRequests: count('known_requests'),
  knownRevenue: sum('known_revenue'),
  cost: sum('cost'),
  loss: sum('loss'),
});
export interface ProfitFigures extends ReturnType<typeof figuresOf> {}

/** `sums`: the largest revenue first; days in their order. `totals`: also of rows beyond the limit. */
export type ProfitReport = ReturnType<typeof decodeProfit>;
export type ProfitSum = ProfitReport['sums'][number];

function decodeProfit([rows = [], totals]: readonly Rows[]) {
  // Without a key: no channel, or a refund without a request.
  const sums = rows.map((row) => ({ key: row.key === '' ? null : String(row.key), ...figuresOf(row) }));
  return { sums, totals: totals ? figuresOf(totals[0]) : sums.reduce(addFigures, figuresOf({})) };
}

/** The prepaid balance that is not used yet. */
const decodeLiability = decoder({
  /** Cards of the kind sold, without voided ones; of them those that were redeemed. */
  sold: sum('sold'),
  redeemed: sum('redeemed'),
  /** Balances of all wallets, and of them the paid part: free credit is spent first. */
  balances: sum('balances'),
  unspent: sum('unspent'),
});

function addFigures(a: ProfitFigures, b: ProfitFigures): ProfitFigures {
  return {
    requests: a.requests + b.requests,
    revenue: a.revenue + b.revenue,
    knownRequests: a.knownRequests + b.knownRequests,
    knownRevenue: a.knownRevenue + b.knownRevenue,
    cost: a.cost + b.cost,
    loss: a.loss + b.loss,
  };
}

/** Sums of all refunds that meet the condition, and of those among them that reduce a profit. */
const refunded = (condition: string) => `(SELECT sum(amount_nano) FROM ${REFUNDS} WHERE ${condition}) AS refunded_nano,
    (SELECT sum(amount_nano) FROM ${REFUNDS} WHERE is_known AND ${condition}) AS known_refunded_nano`;

const DAY = `SELECT sum(requests) AS requests, count(DISTINCT account_id) AS accounts, sum(cost_nano) AS cost_nano,
    sum(CASE WHEN ${IS_FAILED} THEN requests ELSE 0 END) AS failed, sum(known_requests) AS known,
    sum(known_revenue_nano) - sum(upstream_nano) AS margin_nano,
    (SELECT sum(amount_nano) FROM loss_sums WHERE day = ?) AS loss_nano, ${refunded('day = ?')}
  FROM usage_days WHERE day = ?`;

/** Records are found by their account: only those of accounts with usage on these days are looked at. */
const BETWEEN = `SELECT count(*) AS requests, count(DISTINCT account_id) AS accounts, sum(cost_nano) AS cost_nano,
    sum(CASE WHEN ${IS_FAILED} THEN 1 ELSE 0 END) AS failed, count(upstream_nano) AS known,
    sum(CASE WHEN upstream_nano IS NULL THEN 0 ELSE cost_nano - upstream_nano END) AS margin_nano,
    (SELECT sum(amount_nano) FROM losses WHERE day >= ? AND day <= ? AND at >= ? AND at < ?) AS loss_nano,
    ${refunded('at >= ? AND at < ?')}
  FROM usage_records
  WHERE account_id IN (SELECT account_id FROM usage_days WHERE day >= ? AND day <= ?) AND at >= ? AND at < ?`;

const partsBy = (column: string) => `SELECT ${column} AS part, sum(requests) AS requests, sum(cost_nano) AS cost_nano
  FROM usage_days WHERE day = ? GROUP BY ${column} ORDER BY 3 DESC, 2 DESC, 1 LIMIT ?`;

const LOW = `SELECT wallets.account_id AS account_id, balance_nano, spent_nano FROM wallets
  JOIN (SELECT account_id, sum(cost_nano) AS spent_nano FROM usage_days WHERE day >= ? GROUP BY account_id) AS used
    ON used.account_id = wallets.account_id
  WHERE balance_nano < balance_low_nano AND spent_nano > 0 AND EXISTS (SELECT 1 FROM entries
    WHERE entries.account_id = wallets.account_id AND kind IN ('card', 'topup', 'credit'))
  ORDER BY spent_nano DESC, 1 LIMIT ?`;

const decodeSums = decoder({
  requests: count('requests'),
  /** The ones that failed although the request was valid. */
  failed: count('failed'),
  accounts: count('accounts'),
});
const decodeMoney = decoder({
  known: count('known'),
  paid: sum('cost_nano'),
  refunded: sum('refunded_nano'),
  margin: sum('margin_nano'),
  lost: sum('loss_nano'),
  knownRefunded: sum('known_refunded_nano'),
});

/** Sales to all accounts in a period; refunds of that period reduce the revenue and the profit. */
export interface Sales extends ReturnType<typeof decodeSums> {
  revenue: bigint;
  /** Profit of the requests with a known upstream cost, minus losses; null if no request has a known cost. */
  profit: bigint | null;
}

function decodeSales([row]: Rows): Sales {
  const sums = decodeSums(row);
  const { known, paid, refunded, margin, lost, knownRefunded } = decodeMoney(row);
  const isUnknown = sums.requests > 0 && known === 0;
  return { ...sums, revenue: paid - refunded, profit: isUnknown ? null : margin - lost - knownRefunded };
}

/** The share of one model or account in the sales. */
const decodePart = decoder({ part: text('part'), requests: count('requests'), revenue: sum('cost_nano') });
export interface SalesPart extends ReturnType<typeof decodePart> {}

/** `spent`: since the day that was asked for. */
const decodeLow = decoder({ accountId: text('account_id'), balance: sum('balance_nano'), spent: sum('spent_nano') });
export interface LowBalance extends ReturnType<typeof decodeLow> {}

export const PROFIT_READS = {
  profit: readTogether(
    REPORT,
    // Days are all listed, so that they need no second scan for their total.
    (query: ProfitQuery) => (query.by === 'day' ? [sumsQuery(query)] : [sumsQuery(query), totalsQuery(query)]),
    decodeProfit,
  ),
  cardLiability: readTogether(
    REPORT,
    () => [ask(CARDS), ask(WALLETS)],
    ([cards, wallets]) => decodeLiability({ ...cards?.[0], ...wallets?.[0] }),
  ),
  /** For a Taipei day. */
  salesOfDay: read(REPORT, (day: number) => ask(DAY, day, day, day, day), decodeSales),
  /** From a time to before another, from the usage records: dearer than the sums of a day. */
  salesBetween: read(
    REPORT,
    (from: number, to: number) => {
      const span = [taipeiDay(from), taipeiDay(to), from, to];
      return ask(BETWEEN, ...span, from, to, from, to, ...span);
    },
    decodeSales,
  ),
  /** The models that sold most, or the accounts that bought most, on a Taipei day. */
  mostSold: read(
    REPORT,
    (by: 'model' | 'account', day: number, limit: number) => ask(partsBy(columnOf(by)), day, limit),
    all(decodePart),
  ),
  /** Accounts that paid at least once, spent something since a day, and are below their threshold; who spent most first. */
  lowBalances: read(REPORT, (sinceDay: number, limit: number) => ask(LOW, sinceDay, limit), all(decodeLow)),
};
