// Reads for the operator's start page: sales of a day or a part of it by model and account, and low balances.

import { taipeiDay } from '../kit/taipei.ts';
import { IS_FAILED } from './failed-requests.ts';
import { all, ask, REPORT, type Row, type Rows, read } from './read.ts';
import type { LowBalance, Sales, SalesPart } from './reads.ts';
import { REFUNDS } from './refunds.ts';

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
    all((row): SalesPart => ({ part: String(row.part), requests: Number(row.requests), revenue: nano(row.cost_nano) })),
  ),
  /** Accounts that paid at least once, spent something since a day, and are below their threshold; who spent most first. */
  lowBalances: read(
    REPORT,
    (sinceDay: number, limit: number) => ask(LOW, sinceDay, limit),
    all(
      (row): LowBalance => ({
        accountId: String(row.account_id),
        balance: nano(row.balance_nano),
        spent: nano(row.spent_nano),
      }),
    ),
  ),
};

function decodeSales([row = {}]: Rows): Sales {
  const requests = Number(row.requests ?? 0);
  const isUnknown = requests > 0 && Number(row.known ?? 0) === 0;
  return {
    requests,
    failed: Number(row.failed ?? 0),
    accounts: Number(row.accounts ?? 0),
    revenue: nano(row.cost_nano) - nano(row.refunded_nano),
    profit: isUnknown ? null : nano(row.margin_nano) - nano(row.loss_nano) - nano(row.known_refunded_nano),
  };
}

function nano(value: Row[string]): bigint {
  return BigInt(String(value ?? 0));
}
