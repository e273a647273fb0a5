// Profit: what customers paid, what upstreams bill for it, and losses. Sums by day are read, and of single rows only refunds
// with their requests.

import { ask, REPORT, type Read } from './read.ts';
import { REFUNDS } from './refunds.ts';
import type { SqlQuery } from './sql-query.ts';
import { count, decoder, sum } from './table.ts';

export const PROFIT_BY = ['model', 'channel', 'account', 'day'] as const;

export type ProfitBy = (typeof PROFIT_BY)[number];

/** Taipei days, from one to the day before another. */
export interface ProfitQuery {
  by: ProfitBy;
  from: number;
  to: number;
  limit: number;
}

const COLUMNS: Readonly<Record<ProfitBy, string>> = {
  model: 'model',
  channel: 'channel',
  account: 'account_id',
  day: 'day',
};

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
  const column = COLUMNS[by];
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

export interface ProfitSum extends ProfitFigures {
  /** Null: no channel, or a refund without a request. */
  key: string | null;
}

/** The largest revenue first; days in their order. */
export interface ProfitReport {
  sums: ProfitSum[];
  /** The total, including rows beyond the limit. */
  totals: ProfitFigures;
}

const profit: Read<[query: ProfitQuery], ProfitReport> = {
  ...REPORT,
  // Days are all listed, so that they need no second scan for their total.
  ask: (query) => (query.by === 'day' ? [sumsQuery(query)] : [sumsQuery(query), totalsQuery(query)]),
  decode: ([rows = [], totals]) => {
    const sums = rows.map((row) => ({ key: row.key === '' ? null : String(row.key), ...figuresOf(row) }));
    return { sums, totals: totals ? figuresOf(totals[0]) : sums.reduce(addFigures, figuresOf({})) };
  },
};

/** The prepaid balance that is not used yet. */
const decodeLiability = decoder({
  /** Cards of the kind sold, without voided ones; of them those that were redeemed. */
  sold: sum('sold'),
  redeemed: sum('redeemed'),
  /** Balances of all wallets, and of them the paid part: free credit is spent first. */
  balances: sum('balances'),
  unspent: sum('unspent'),
});
export interface CardLiability extends ReturnType<typeof decodeLiability> {}

const cardLiability: Read<[], CardLiability> = {
  ...REPORT,
  ask: () => [ask(CARDS), ask(WALLETS)],
  decode: ([cards, wallets]) => decodeLiability({ ...cards?.[0], ...wallets?.[0] }),
};

export const PROFIT_READS = { profit, cardLiability };

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
