// The SQL that writes one table, made once from its description. Every statement writes a set of rows, passed as arrays of
// ids or columns.

import { type Column, type ColumnKind, isTextKind, type Table, toText } from '../table.ts';

const TYPES: Record<ColumnKind, string> = {
  text: 'text',
  number: 'bigint',
  money: 'bigint',
  flag: 'boolean',
  json: 'text',
  slots: 'text',
  limits: 'text',
};

interface Statement {
  sql: string;
  values: string[];
}

/**
 * One statement on a table. When it is joined with others, its parameters are numbered and it gets the name of the one
 * before it.
 */
export interface Verb {
  /** Unlike that of any other verb or table. */
  name: string;
  sql(firstParameter: number, before: string): string;
}

export interface Part {
  verb: Verb;
  /** One array for each column. */
  values: string[];
}

export type TableVerbs<Row extends object> = ReturnType<typeof prepareVerbs<Row>>;

export function prepareVerbs<Row extends object>({ name: table, idColumn, idField, columns }: Table<Row>) {
  const names = columns.map(({ name }) => name);
  const list = names.join(', ');
  const withId: readonly Pick<Column, 'kind'>[] = [{ kind: 'text' }, ...columns];
  const verb = (name: string, sql: Verb['sql']): Verb => ({ name: `${name} ${table}`, sql });
  const insert = verb(
    'insert',
    (first) => `INSERT INTO ${table} (${idColumn}, ${list}) SELECT * FROM ${unnest(withId, first)}`,
  );
  const append = verb(
    'append',
    (first) => `INSERT INTO ${table} (${list}) SELECT ${list} FROM ${inOrder(columns, first)} ORDER BY nth`,
  );
  const update = verb(
    'update',
    (first) =>
      `UPDATE ${table} SET ${names.map((name) => `${name} = new.${name}`).join(', ')}
       FROM ${unnest(withId, first)} AS new (id, ${list}) WHERE ${table}.${idColumn} = new.id`,
  );
  const remove = verb('delete', (first) => `DELETE FROM ${table} WHERE ${idColumn} = ANY($${first}::text[])`);
  const inserted = (ids: readonly string[], rows: readonly Row[]): Part => ({
    verb: insert,
    values: [toArray(ids), ...byColumn(columns, rows)],
  });
  return {
    insert: inserted,
    /** Rows that are only ever added. Ids that the database counts follow the order of the rows. */
    add(rows: readonly Row[]): Part {
      if (idField === undefined) return { verb: append, values: byColumn(columns, rows) };
      return inserted(
        rows.map((row) => String((row as Record<string, unknown>)[idField])),
        rows,
      );
    },
    update: (ids: readonly string[], rows: readonly Row[]): Part => ({
      verb: update,
      values: [toArray(ids), ...byColumn(columns, rows)],
    }),
    delete: (ids: readonly string[]): Part => ({ verb: remove, values: [toArray(ids)] }),
  };
}

/** Batches repeat a few combinations of verbs, so the text of each combination is cached. */
export function createJoin(): (parts: readonly Part[]) => Statement {
  const texts = new Map<string, string>();
  return (parts) => {
    const name = parts.map(({ verb }) => verb.name).join();
    const values = parts.flatMap((part) => part.values);
    const known = texts.get(name);
    if (known !== undefined) return { sql: known, values };
    const sql = joinText(parts);
    texts.set(name, sql);
    return { sql, values };
  };
}

function joinText(parts: readonly Part[]): string {
  let first = 1;
  const pieces = parts.map(({ verb, values }, index) => {
    const piece = `w${index} AS (${verb.sql(first, `w${index - 1}`)})`;
    first += values.length;
    return piece;
  });
  return `WITH ${pieces.join(',\n')}\nSELECT`;
}

/** Rows with their position, from 1. */
export function inOrder(columns: readonly Column[], first: number): string {
  return `${unnest(columns, first)} WITH ORDINALITY AS new (${columns.map(({ name }) => name).join(', ')}, nth)`;
}

export function unnest(columns: readonly Pick<Column, 'kind'>[], first: number): string {
  return `unnest(${columns.map(({ kind }, index) => `$${first + index}::${TYPES[kind]}[]`).join(', ')})`;
}

export function byColumn<Row extends object>(columns: readonly Column[], rows: readonly Row[]): string[] {
  return columns.map(({ field, kind }) => {
    const values: ArrayValue[] = [];
    for (const row of rows) values.push(encode((row as Record<string, unknown>)[field], kind));
    return toArray(values);
  });
}

function encode(value: unknown, kind: ColumnKind): ArrayValue {
  if (value === null || value === undefined) return null;
  if (isTextKind(kind)) return toText(value, kind);
  if (kind === 'money') return String(value);
  // The database must refuse a value that is not a number instead of reading it as NULL.
  return kind === 'number' && !Number.isFinite(value) ? String(value) : (value as string | number | boolean);
}

type ArrayValue = string | number | boolean | null;

const ESCAPES_OF_JSON = /\\[^"\\]/;

/**
 * An array as PostgreSQL reads it: `{1,NULL,"a\"b"}`. `JSON.stringify` writes nearly the same and is much faster, so it is used
 * unless a value has a character that JSON escapes differently (`\n`, `\u0007`).
 */
export function toArray(values: readonly ArrayValue[]): string {
  const json = JSON.stringify(values);
  return ESCAPES_OF_JSON.test(json) ? written(values) : `{${json.slice(1, -1)}}`;
}

function written(values: readonly ArrayValue[]): string {
  const texts = values.map((value) => {
    if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`;
    return value === null ? 'NULL' : String(value);
  });
  return `{${texts.join(',')}}`;
}
