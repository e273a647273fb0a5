// The statements that write refused requests: one that adds counts and requests, one that removes those beyond the newest.

import {
  accountsOf,
  addCounts,
  addRequests,
  countRows,
  type RefusalBatch,
  requestRows,
  trimRequests,
} from '../refusals.ts';
import { toArray } from './arrays.ts';
import type { Query } from './connection.ts';

const COUNT_TYPES = ['text', 'bigint', 'text', 'text', 'bigint'];
const REQUEST_TYPES = ['text', 'text', 'text', 'bigint', 'text', 'text', 'bigint', 'text', 'text'];

/** Each node writes in the order of the rows. */
const ADD = `WITH counted AS (${addCounts(`SELECT * FROM ${unnest(COUNT_TYPES, 1)}`)})
  ${addRequests(`SELECT * FROM ${unnest(REQUEST_TYPES, COUNT_TYPES.length + 1)}`)}`;

const TRIM = trimRequests('SELECT unnest($1::text[])');

export function writeRefusals({ counts, requests }: RefusalBatch): Query[] {
  return [
    {
      sql: ADD,
      values: [...byColumn(countRows(counts), COUNT_TYPES), ...byColumn(requestRows(requests), REQUEST_TYPES)],
    },
    { sql: TRIM, values: [toArray(accountsOf(requests))] },
  ];
}

function unnest(types: readonly string[], first: number): string {
  return `unnest(${types.map((type, index) => `$${first + index}::${type}[]`).join(', ')})`;
}

function byColumn(rows: readonly (string | number | null)[][], types: readonly string[]): string[] {
  return types.map((_, column) => toArray(rows.map((row) => row[column] ?? null)));
}
