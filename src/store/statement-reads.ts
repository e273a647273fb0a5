// A statement: opening balance, credits, charges and closing balance of an account in a period, as sums of its entries.
// Every figure comes from entries by their time, so that each span begins with the balance that the one before ends with.

import { all, ask, type Rows, read, readTogether, rowOf, SLOW_JOURNALED, type SqlQuery } from './read.ts';
import { type EntryKind, STORED_ENTRIES, type StoredEntry } from './rows.ts';
import { decoder, number, sum, text } from './table.ts';

export type StoredStatement = ReturnType<typeof decodeStatement>;
export type StatementSum = StoredStatement['sums'][number];

export const STATEMENT_ENTRIES = 200;

/**
 * One scan of the entries: one row for everything before the period, and in the period one for each kind and house account.
 * Only requests of the time itself are looked up for their model.
 */
const SUMS = `WITH own AS MATERIALIZED (
    SELECT CASE WHEN at < ? THEN 'before' ELSE kind END AS kind,
      CASE WHEN at < ? THEN '' WHEN credit = account_id THEN debit ELSE credit END AS side,
      CASE WHEN at >= ? AND kind = 'usage' THEN reference END AS request_id,
      count(*) AS entries, sum(CASE WHEN credit = account_id THEN amount_nano ELSE -amount_nano END) AS amount
    FROM entries WHERE account_id = ? AND at < ? GROUP BY 1, 2, 3
  )
  SELECT kind, side, (SELECT model FROM usage_records WHERE usage_records.request_id = own.request_id) AS model,
    sum(entries) AS entries, sum(amount) AS amount
  FROM own GROUP BY 1, 2, 3`;
const ENTRIES = `SELECT * FROM entries
  WHERE account_id = ? AND at >= ? AND at < ? AND kind <> 'usage' AND (at, entry_id) > (CAST(? AS BIGINT), CAST(? AS BIGINT))
  ORDER BY at, entry_id LIMIT ?`;

const toPart = decoder({
  kind: text('kind'),
  from: text('side'),
  model: text<string | null>('model'),
  entries: number('entries'),
  amount: sum('amount'),
});

function decodeStatement([rows = [], entries = []]: readonly Rows[]) {
  const parts = rows.map(toPart);
  const before = parts.find(({ kind }) => kind === 'before')?.amount ?? 0n;
  const within = parts.filter(({ kind }) => kind !== 'before');
  return {
    opening: before,
    closing: within.reduce((sum, { amount }) => sum + amount, before),
    /** By kind and by the house account on the other side; below 0 for what went out. */
    sums: within
      .filter(({ kind }) => kind !== 'usage')
      .map(({ kind, from, entries, amount }) => ({ kind: kind as Exclude<EntryKind, 'usage'>, from, entries, amount }))
      .sort((a, b) => compare(a.kind, b.kind) || compare(a.from, b.from)),
    /** The dearest first. Without a model: the records of these requests are no longer kept. */
    models: within
      .filter(({ kind }) => kind === 'usage')
      .map(({ model, entries, amount }) => ({ model, requests: entries, amount: -amount }))
      .sort((a, b) => compare(b.amount, a.amount) || compare(a.model ?? '', b.model ?? '')),
    /** All but those of requests, the oldest first: at most `STATEMENT_ENTRIES`, of which `statementEntries` reads the next. */
    entries: entries.map(rowOf(STORED_ENTRIES)),
  };
}

function entriesQuery(
  accountId: string,
  from: number,
  to: number,
  after: Pick<StoredEntry, 'at' | 'entryId'> = { at: from, entryId: 0 },
): SqlQuery {
  return ask(ENTRIES, accountId, from, to, after.at, after.entryId, STATEMENT_ENTRIES);
}

function compare<Value extends string | bigint>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export const STATEMENT_READS = {
  statement: readTogether(
    SLOW_JOURNALED,
    (accountId: string, from: number, to: number) => [
      ask(SUMS, from, from, from, accountId, to),
      entriesQuery(accountId, from, to),
    ],
    decodeStatement,
  ),
  /** All but those of requests, the oldest first: at most so many after an entry. */
  statementEntries: read(SLOW_JOURNALED, entriesQuery, all(rowOf(STORED_ENTRIES))),
};
