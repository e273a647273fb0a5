// One page of an account's usage, newest first, by key and not by offset; and the totals of the whole filter.

import type { Database } from 'bun:sqlite';
import type { UsagePage, UsageQuery } from '../reads.ts';
import { ADDITIONS, decodeRow, type SqlValue } from '../tables.ts';
import { decodeTotals, pageStatement, totalsStatement, type UsageStatement } from '../usage-queries.ts';

export function usagePage(db: Database, query: UsageQuery): UsagePage {
  const ask = ({ sql, values }: UsageStatement) => db.query<Record<string, unknown>, SqlValue[]>(sql).all(...values);
  const [totals] = ask(totalsStatement(query));
  const rows = ask(pageStatement(query));
  return {
    records: rows.slice(0, query.limit).map((row) => decodeRow(ADDITIONS.usage, row)),
    hasMore: rows.length > query.limit,
    totals: decodeTotals(totals),
  };
}
