// One page of an account's usage, newest first, by key and not by offset; and the totals of the whole filter.

import type { Database } from 'bun:sqlite';
import type { Question } from '../question.ts';
import type { UsagePage, UsageQuery } from '../reads.ts';
import { ADDITIONS, decodeRow, type SqlValue } from '../tables.ts';
import { decodeTotals, pageQuestion, totalsQuestion } from '../usage-queries.ts';

export function usagePage(db: Database, query: UsageQuery): UsagePage {
  const ask = ({ sql, values }: Question) => db.query<Record<string, unknown>, SqlValue[]>(sql).all(...values);
  const [totals] = ask(totalsQuestion(query));
  const rows = ask(pageQuestion(query));
  return {
    records: rows.slice(0, query.limit).map((row) => decodeRow(ADDITIONS.usage, row)),
    hasMore: rows.length > query.limit,
    totals: decodeTotals(totals),
  };
}
