// Sums of losses for the operator, in SQL that both databases support.

import type { Rows } from './read.ts';
import type { LossBy, LossQuery, LossReport } from './reads.ts';
import { isGuarded, LOSS_REASONS } from './rows.ts';
import type { SqlQuery } from './sql-query.ts';

const COLUMNS: Readonly<Record<LossBy, string>> = {
  account: 'account_id',
  model: 'model',
  channel: 'channel',
  reason: 'reason',
};

/** Reasons that count for the guard, as a list of SQL. */
export const GUARDED_REASONS = LOSS_REASONS.filter(isGuarded)
  .map((reason) => `'${reason}'`)
  .join(', ');

/** The largest first. Every row also has the sums of all, so that a list that is cut off has them, too. */
export function lossesQuery({ by, from, to, accountId, limit }: LossQuery): SqlQuery {
  const column = COLUMNS[by];
  const isOfAccount = accountId === undefined ? '' : ' AND account_id = ?';
  return {
    sql: `SELECT nullif(${column}, '') AS key, sum(losses) AS losses, sum(amount_nano) AS amount_nano,
        sum(sum(losses)) OVER () AS all_losses, sum(sum(amount_nano)) OVER () AS all_nano
      FROM loss_sums WHERE day >= ? AND day < ?${isOfAccount}
      GROUP BY ${column} ORDER BY sum(amount_nano) DESC, ${column} LIMIT ?`,
    values: [from, to, ...(accountId === undefined ? [] : [accountId]), limit],
  };
}

export function decodeLosses(rows: Rows): LossReport {
  const [first] = rows;
  return {
    sums: rows.map(({ key, losses, amount_nano: amount }) => ({
      key: key === null ? null : String(key),
      losses: Number(losses),
      amount: BigInt(String(amount)),
    })),
    losses: Number(first?.all_losses ?? 0),
    amount: BigInt(String(first?.all_nano ?? 0)),
  };
}
