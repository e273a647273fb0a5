// A read of the store: its queries, in SQL that both databases support, and the function that decodes their rows. Both
// stores are built from these entries.

import { MINUTE_MS } from '../kit/clock.ts';
import { decodeRow, type DriverRow as Row, type SqlValue, type Table } from './table.ts';

export type { Row };
export type Rows = readonly Row[];

/** A list is one value: `serial = ANY(?)`. */
export type Value = SqlValue | readonly string[];

/** In the SQL that both databases understand. Values are always parameters: `?` is the placeholder of one. */
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

export interface TimeLimits {
  /** Each query may take this long. */
  statementMs: number;
  /** All queries together, where that is less: a connection that was lost without notice is given up after it. */
  wholeMs?: number;
}

interface ReadTraits<Args extends unknown[]> {
  /** A read that may take long has a thread or connections of its own, so that a key's look-up never waits behind an audit. */
  slow: boolean;
  /** Whether what SQLite journals can change the answer: a wallet, window, budget, hold, entry or usage record is in it. */
  journaled: boolean;
  /** A missing row is a valid answer: a missing window is empty. */
  emptyIfAbsent?: true;
  /** On PostgreSQL, for slow reads that may take longer than others. */
  limits?(...args: Args): TimeLimits;
}

export interface Read<Args extends unknown[], Answer> extends ReadTraits<Args> {
  /** Several queries are answered from one snapshot. */
  ask(...args: Args): readonly SqlQuery[];
  /** The rows of each query, in the same order. */
  decode(answers: readonly Rows[], ...args: Args): Answer;
}

export const QUICK = { slow: false, journaled: false };
export const QUICK_JOURNALED = { slow: false, journaled: true };
export const SLOW = { slow: true, journaled: false };
export const SLOW_JOURNALED = { slow: true, journaled: true };
/** The operator's reports and the upkeep of keys look at all rows of tables that only grow. */
export const REPORT = { ...SLOW_JOURNALED, limits: (): TimeLimits => ({ statementMs: MINUTE_MS }) };

export function read<Args extends unknown[], Answer>(
  traits: ReadTraits<Args>,
  ask: (...args: Args) => SqlQuery,
  decode: (rows: Rows) => Answer,
): Read<Args, Answer> {
  return { ...traits, ask: (...args) => [ask(...args)], decode: ([rows = []], ..._args) => decode(rows) };
}

export function readTogether<Args extends unknown[], Answer>(
  traits: ReadTraits<Args>,
  ask: (...args: Args) => SqlQuery[],
  decode: (answers: readonly Rows[]) => Answer,
): Read<Args, Answer> {
  return { ...traits, ask, decode: (answers, ..._args) => decode(answers) };
}

/** Rows of a table. */
export function many<Args extends unknown[], Decoded>(
  traits: ReadTraits<Args>,
  table: Table<Decoded>,
  rest: string,
  values: (...args: Args) => Value[],
): Read<Args, Decoded[]> {
  const sql = `SELECT * FROM ${table.name} ${rest}`;
  return read(traits, (...args) => ({ sql, values: values(...args) }), all(rowOf(table)));
}

/** The first row of a table that is found. */
export function one<Args extends unknown[], Decoded>(
  ...entry: Parameters<typeof many<Args, Decoded>>
): Read<Args, Decoded | undefined> {
  const { decode, ...rows } = many(...entry);
  return { ...rows, decode: (...found) => decode(...found)[0] };
}

export function ask(sql: string, ...values: Value[]): SqlQuery {
  return { sql, values };
}

export function rowOf<Decoded>(table: Table<Decoded>): (row: Row) => Decoded {
  return (row) => decodeRow(table, row);
}

export function all<Decoded>(decode: (row: Row) => Decoded): (rows: Rows) => Decoded[] {
  return (rows) => rows.map(decode);
}

export function first<Decoded>(decode: (row: Row) => Decoded): (rows: Rows) => Decoded | undefined {
  return ([row]) => row && decode(row);
}
