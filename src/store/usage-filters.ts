// The filters of a usage listing, in the one SQL both databases understand; values always travel as parameters.

import type { UsageQuery, UsageTotals } from './reads.ts';
import type { SqlValue } from './tables.ts';

export interface Filter {
  /** Conditions in order; `?` stands for the value beside it. */
  conditions: readonly string[];
  values: readonly SqlValue[];
}

const FILTERS: readonly [name: keyof UsageQuery, sql: string][] = [
  ['from', 'at >= ?'],
  ['to', 'at < ?'],
  ['model', 'model = ?'],
  ['channel', 'channel = ?'],
  ['keyId', 'key_id = ?'],
  ['status', 'status = ?'],
];

export function usageFilter(query: UsageQuery): Filter {
  const conditions = ['account_id = ?'];
  const values: SqlValue[] = [query.accountId];
  for (const [name, sql] of FILTERS) {
    const value = query[name];
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    conditions.push(sql);
    values.push(value);
  }
  return { conditions, values };
}

export const USAGE_TOTALS = `count(*) AS requests, coalesce(sum(input_tokens), 0) AS input,
  coalesce(sum(cached_input_tokens), 0) AS cached_input, coalesce(sum(cache_write_5m_tokens), 0) AS write_5m,
  coalesce(sum(cache_write_1h_tokens), 0) AS write_1h, coalesce(sum(output_tokens), 0) AS output,
  coalesce(sum(reasoning_tokens), 0) AS reasoning, coalesce(sum(images), 0) AS images,
  coalesce(sum(cost_nano), 0) AS cost`;

export function decodeTotals(row: Readonly<Record<string, unknown>> | null | undefined): UsageTotals {
  const number = (name: string) => Number(row?.[name] ?? 0);
  return {
    requests: number('requests'),
    input: number('input'),
    cachedInput: number('cached_input'),
    cacheWrite5m: number('write_5m'),
    cacheWrite1h: number('write_1h'),
    output: number('output'),
    reasoning: number('reasoning'),
    images: number('images'),
    cost: BigInt((row?.cost ?? 0) as string | number | bigint),
  };
}
