// A query in the SQL that both databases understand; values are always parameters.

import type { SqlValue } from './table.ts';

/** A list is one value: `serial = ANY(?)`. */
export type Value = SqlValue | readonly string[];

/** `?` is the placeholder for its value. */
export interface SqlQuery {
  sql: string;
  values: readonly Value[];
  /** In place of `sql`, where SQLite needs another text. */
  sqlite?: string;
}

/** Each with its values. */
export type Condition = readonly [sql: string, ...values: Value[]];

/** Joins conditions with AND; empty without conditions. */
export function where(conditions: readonly Condition[]): SqlQuery {
  return {
    sql: conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`,
    values: conditions.flatMap(([, ...values]) => values),
  };
}
