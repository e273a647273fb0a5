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

/** Nothing is asked where the value is undefined. */
export function given(sql: string, value: Value | undefined): Condition | undefined {
  return value === undefined ? undefined : [sql, value];
}

type Conditions = readonly (Condition | false | undefined)[];

export function onlyGiven(conditions: Conditions): Condition[] {
  return conditions.filter((one) => one !== undefined && one !== false);
}

/** Joins conditions with AND; empty without conditions. */
export function where(conditions: Conditions): SqlQuery {
  const asked = onlyGiven(conditions);
  return {
    sql: asked.length === 0 ? '' : `WHERE ${asked.map(([sql]) => sql).join(' AND ')}`,
    values: asked.flatMap(([, ...values]) => values),
  };
}
