// Reads for the operator's start page: sales of a day or a part of it by model and account, and low balances.

import { taipeiDay } from '../kit/taipei.ts';
import { IS_FAILED } from './failed-requests.ts';
import { all, ask, REPORT, type Rows, read } from './read.ts';
import { REFUNDS } from './refunds.ts';
import { count, decoder, sum, text } from './table.ts';

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

const PARTS = { model: 'model', account: 'account_id' } as const;
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

export const TODAY_READS = {
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
    (by: keyof typeof PARTS, day: number, limit: number) => ask(partsBy(PARTS[by]), day, limit),
    all(decodePart),
  ),
  /** Accounts that paid at least once, spent something since a day, and are below their threshold; who spent most first. */
  lowBalances: read(REPORT, (sinceDay: number, limit: number) => ask(LOW, sinceDay, limit), all(decodeLow)),
};
