// Sums of losses for the operator, in SQL that both databases support.

import type { Rows } from './read.ts';
import { isGuarded, LOSS_REASONS } from './rows.ts';
import type { SqlQuery } from './sql-query.ts';
import { count, decoder, money, number, sum, text } from './table.ts';

export const LOSS_BY = ['account', 'model', 'channel', 'reason'] as const;

export type LossBy = (typeof LOSS_BY)[number];

/** Taipei days, from one to the day before another. */
export interface LossQuery {
  by: LossBy;
  from: number;
  to: number;
  /** Only of this account. */
  accountId?: string | undefined;
  limit: number;
}

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

/** `key`: null for no channel. */
const decodeSum = decoder({ key: text<string | null>('key'), losses: number('losses'), amount: money('amount_nano') });
export interface LossSum extends ReturnType<typeof decodeSum> {}

/** The sums, the largest first, and all together, also those beyond the limit. */
export interface LossReport {
  sums: LossSum[];
  losses: number;
  amount: bigint;
}

const decodeAll = decoder({ losses: count('all_losses'), amount: sum('all_nano') });

export function decodeLosses(rows: Rows): LossReport {
  return { sums: rows.map(decodeSum), ...decodeAll(rows[0]) };
}
