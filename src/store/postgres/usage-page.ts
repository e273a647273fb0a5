// One page of an account's usage, newest first, by key and not by offset; and the totals of the whole filter.

import type { UsagePage, UsageQuery } from '../reads.ts';
import { ADDITIONS, decodeRow } from '../tables.ts';
import { decodeTotals, pageQuestion, totalsQuestion } from '../usage-queries.ts';
import type { Query } from './connection.ts';
import type { Pool } from './pool.ts';

export async function usagePage(pool: Pool, query: UsageQuery): Promise<UsagePage> {
  const [totals, rows] = await pool.askTogether([numbered(totalsQuestion(query)), numbered(pageQuestion(query))]);
  const found = rows ?? [];
  return {
    records: found.slice(0, query.limit).map((row) => decodeRow(ADDITIONS.usage, row)),
    hasMore: found.length > query.limit,
    totals: decodeTotals(totals?.[0]),
  };
}

/** What is common to both databases marks values with `?`; no text of a client is ever in it. */
export function numbered({ sql, values }: { sql: string; values?: readonly unknown[] }): Query {
  let count = 0;
  return { sql: sql.replaceAll('?', () => `$${++count}`), values: values ?? [] };
}
