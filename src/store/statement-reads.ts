// A statement: what an account had, got, spent and has, of one span of time, as sums of its entries. Every figure comes
// from entries by their time, so that each span begins with the balance that the one before ends with.

import type { Nano } from '../kit/money.ts';
import { ask, type Read, type Rows, rowOf, SLOW_JOURNALED } from './read.ts';
import type { EntryKind, StoredEntry } from './rows.ts';
import { STORED_ENTRIES } from './tables.ts';

export interface StatementSum {
  kind: Exclude<EntryKind, 'usage'>;
  /** The house account on the other side of what came in. */
  from: string;
  entries: number;
  /** Below 0 for what went out. */
  amount: Nano;
}

export interface ModelSpend {
  /** Null: the records of these requests are no longer kept. */
  model: string | null;
  requests: number;
  amount: Nano;
}

export interface StoredStatement {
  opening: Nano;
  closing: Nano;
  sums: StatementSum[];
  /** The dearest first. */
  models: ModelSpend[];
  /** All but those of requests, the oldest first: at most `STATEMENT_ENTRIES`. */
  entries: StoredEntry[];
}

export const STATEMENT_ENTRIES = 200;

const SIGNED = 'CASE WHEN credit = account_id THEN amount_nano ELSE -amount_nano END';
const WITHIN = 'account_id = ? AND at >= ? AND at < ?';
const UNTIL = `SELECT coalesce(sum(${SIGNED}), 0) AS amount FROM entries WHERE account_id = ? AND at < ?`;
const SUMS = `SELECT kind, CASE WHEN credit = account_id THEN debit ELSE credit END AS side, count(*) AS entries,
    sum(${SIGNED}) AS amount
  FROM entries WHERE ${WITHIN} AND kind <> 'usage' GROUP BY 1, 2 ORDER BY 1, 2`;
const MODELS = `SELECT used.model, count(*) AS requests, sum(spent.amount_nano) AS amount
  FROM (SELECT reference, amount_nano FROM entries WHERE ${WITHIN} AND kind = 'usage') spent
  LEFT JOIN usage_records used ON used.request_id = spent.reference
  GROUP BY used.model ORDER BY 3 DESC, 1`;
const ENTRIES = `SELECT * FROM entries WHERE ${WITHIN} AND kind <> 'usage' ORDER BY at, entry_id LIMIT ${STATEMENT_ENTRIES}`;

const STATEMENT: Read<[accountId: string, from: number, to: number], StoredStatement> = {
  ...SLOW_JOURNALED,
  ask: (accountId, from, to) => [
    ask(UNTIL, accountId, from),
    ask(UNTIL, accountId, to),
    ...[SUMS, MODELS, ENTRIES].map((sql) => ask(sql, accountId, from, to)),
  ],
  decode: ([opening, closing, sums = [], models = [], entries = []]) => ({
    opening: toAmount(opening?.[0]?.amount),
    closing: toAmount(closing?.[0]?.amount),
    sums: sums.map((row) => ({
      kind: String(row.kind) as StatementSum['kind'],
      from: String(row.side),
      entries: Number(row.entries),
      amount: toAmount(row.amount),
    })),
    models: toModels(models),
    entries: entries.map(rowOf(STORED_ENTRIES)),
  }),
};

function toModels(rows: Rows): ModelSpend[] {
  return rows.map(({ model, requests, amount }) => ({
    model: model === null ? null : String(model),
    requests: Number(requests),
    amount: toAmount(amount),
  }));
}

function toAmount(value: unknown): Nano {
  return BigInt(String(value ?? 0));
}

export const STATEMENT_READS = { statement: STATEMENT };
