// One page of an account's usage, newest first, by key and not by offset; and the totals of the whole filter.

import type { UsagePage, UsageQuery } from '../reads.ts';
import { ADDITIONS, decodeRow } from '../tables.ts';
import { decodeTotals, USAGE_TOTALS, usageFilter } from '../usage-filters.ts';
import type { Pool } from './pool.ts';

export async function usagePage(pool: Pool, query: UsageQuery): Promise<UsagePage> {
  const { conditions, values } = usageFilter(query);
  const pageConditions = query.after ? [...conditions, '(at, request_id) < (?, ?)'] : conditions;
  const pageValues = query.after ? [...values, query.after.at, query.after.requestId] : values;
  const [totals, rows] = await pool.askTogether([
    { sql: numbered(`SELECT ${USAGE_TOTALS} FROM usage_records WHERE ${conditions.join(' AND ')}`), values },
    {
      sql: numbered(
        `SELECT * FROM usage_records WHERE ${pageConditions.join(' AND ')} ORDER BY at DESC, request_id DESC LIMIT ?`,
      ),
      values: [...pageValues, query.limit + 1],
    },
  ]);
  const found = rows ?? [];
  return {
    records: found.slice(0, query.limit).map((row) => decodeRow(ADDITIONS.usage, row)),
    hasMore: found.length > query.limit,
    totals: decodeTotals(totals?.[0]),
  };
}

/** The filters common to both databases mark values with `?`; no text of a client is ever in them. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}
