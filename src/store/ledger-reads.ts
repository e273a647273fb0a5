// Reads of entries, of losses, and of their sums.

import { decodeWrongEntry, LAST_WRONG_ENTRY } from './accepted-chains.ts';
import { AUDIT_HOUSE, toHouse } from './audit-queries.ts';
import {
  ask,
  first,
  many,
  one,
  QUICK,
  QUICK_JOURNALED,
  REPORT,
  type Rows,
  read,
  SLOW_JOURNALED,
  type SqlQuery,
} from './read.ts';
import { ENTRIES, type EntryKind, REFUNDED, STORED_ENTRIES } from './rows.ts';
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

/** The largest first. Every row also has the sums of all, so that a list that is cut off has them, too. */
function lossesQuery({ by, from, to, accountId, limit }: LossQuery): SqlQuery {
  const column = by === 'account' ? 'account_id' : by;
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

const decodeAll = decoder({ losses: count('all_losses'), amount: sum('all_nano') });

/** The sums, the largest first, and all together, also those beyond the limit. */
function decodeLosses(rows: Rows) {
  return { sums: rows.map(decodeSum), ...decodeAll(rows[0]) };
}

const pageOfEntries = (condition: string) =>
  many(
    QUICK_JOURNALED,
    STORED_ENTRIES,
    `WHERE account_id = ? AND entry_id < ? ${condition} ORDER BY entry_id DESC LIMIT ?`,
    (accountId: string, limit: number, before: number = Number.MAX_SAFE_INTEGER) => [accountId, before, limit],
  );

export const LEDGER_READS = {
  /** Newest first; `before` is the last one of the page before. */
  entriesOf: pageOfEntries(''),
  /** All but those of requests, which are many. */
  creditsOf: pageOfEntries(`AND kind <> 'usage'`),
  /** An entry of any account, by its unique fields. */
  entryBy: one(QUICK_JOURNALED, ENTRIES, 'WHERE kind = ? AND reference = ?', (kind: EntryKind, reference: string) => [
    kind,
    reference,
  ]),
  /** Refunds of a request or card. */
  refundedOf: one(QUICK, REFUNDED, 'WHERE refund_of = ?', (id: string) => [id]),
  /** The cost of a request, also when its record is no longer kept. */
  usageEntry: one(
    QUICK_JOURNALED,
    ENTRIES,
    `WHERE account_id = ? AND kind = 'usage' AND reference = ?`,
    (accountId: string, requestId: string) => [accountId, requestId],
  ),
  /** The last wrong entry, which an unfreeze has to accept: undefined if each balance is the sum up to it, or was accepted before. */
  wrongChain: read(SLOW_JOURNALED, (accountId: string) => ask(LAST_WRONG_ENTRY, accountId), first(decodeWrongEntry)),
  /** Newest first. */
  writeOffs: many(
    SLOW_JOURNALED,
    ENTRIES,
    `WHERE kind = 'write_off' ORDER BY entry_id DESC LIMIT ?`,
    (limit: number) => [limit],
  ),
  /** The amount that each house account gave (below 0) or took. */
  houseAccounts: read(REPORT, () => ask(AUDIT_HOUSE), toHouse),
  losses: read(REPORT, lossesQuery, decodeLosses),
};
