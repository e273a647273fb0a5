// The statements that write refused requests, in one transaction: one adds counts and requests, one removes those beyond the
// newest. A batch that was committed already, and whose answer was lost, is not counted again.

import {
  accountsOf,
  addCounts,
  addRequests,
  COUNT_COLUMNS,
  inOneOrder,
  REQUEST_COLUMNS,
  type RefusalBatch,
  trimRequests,
} from '../refusals.ts';
import type { Query } from './connection.ts';
import { byColumn, toArray, unnest } from './statements.ts';

/** Waits until a transaction with the same batch has ended, and returns nothing if it was committed. */
const TAKE_NUMBER = `INSERT INTO writers (writer_id, batch, touched_at) VALUES ($1, $2::bigint, $3::bigint)
  ON CONFLICT (writer_id) DO UPDATE SET batch = excluded.batch, touched_at = excluded.touched_at
  WHERE writers.batch < excluded.batch RETURNING 1`;

/** Each node writes in the order of the rows. */
const ADD = `WITH fresh AS (${TAKE_NUMBER}),
  counted AS (${addCounts(`SELECT * FROM ${unnest(COUNT_COLUMNS, 4)} WHERE EXISTS (SELECT 1 FROM fresh)`)})
  ${addRequests(`SELECT * FROM ${unnest(REQUEST_COLUMNS, COUNT_COLUMNS.length + 4)}`)}`;

const TRIM = trimRequests('SELECT unnest($1::text[])');

export function writeRefusals({ source, number, counts, requests }: RefusalBatch, at: number): Query[] {
  return [
    {
      sql: ADD,
      values: [
        ...[`refusals ${source}`, number, at],
        ...byColumn(COUNT_COLUMNS, inOneOrder(counts)),
        ...byColumn(REQUEST_COLUMNS, requests),
      ],
    },
    { sql: TRIM, values: [toArray(accountsOf(requests))] },
  ];
}
