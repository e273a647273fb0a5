// One page of an account's usage, newest first, by key and not by offset; and the totals of the whole filter.

import type { Database } from 'bun:sqlite';
import type { UsagePage, UsageQuery } from '../reads.ts';
import { ADDITIONS, decodeRow, type SqlValue } from '../tables.ts';
import { decodeTotals, USAGE_TOTALS, usageFilter } from '../usage-filters.ts';

export function usagePage(db: Database, query: UsageQuery): UsagePage {
  const { conditions, values } = usageFilter(query);
  const totals = db
    .query<Record<string, unknown>, SqlValue[]>(
      `SELECT ${USAGE_TOTALS} FROM usage_records WHERE ${conditions.join(' AND ')}`,
    )
    .get(...values);
  const pageConditions = query.after ? [...conditions, '(at, request_id) < (?, ?)'] : conditions;
  const pageValues = query.after ? [...values, query.after.at, query.after.requestId] : values;
  const rows = db
    .query<Record<string, unknown>, SqlValue[]>(
      `SELECT * FROM usage_records WHERE ${pageConditions.join(' AND ')} ORDER BY at DESC, request_id DESC LIMIT ?`,
    )
    .all(...pageValues, query.limit + 1);
  return {
    records: rows.slice(0, query.limit).map((row) => decodeRow(ADDITIONS.usage, row)),
    hasMore: rows.length > query.limit,
    totals: decodeTotals(totals),
  };
}
