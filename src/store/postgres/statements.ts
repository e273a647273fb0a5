// The SQL of one table, made from its description. Every statement works on a set of rows: ids or columns travel as arrays.

import { type ColumnKind, encodeRow, type SqlValue, type Table } from '../tables.ts';

const TYPES: Record<ColumnKind, string> = {
  text: 'text',
  number: 'bigint',
  money: 'bigint',
  flag: 'boolean',
  json: 'text',
  slots: 'text',
};

export interface Statement {
  sql: string;
  values: string[];
}

/** A part of a statement; its parameters are numbered when the parts are joined. */
export interface Part {
  sql(firstParameter: number): string;
  /** One array for each column. */
  values: string[];
}

export interface Row {
  id: SqlValue;
  values: SqlValue[];
}

export function readRows<R>({ name, idColumn }: Table<R>): string {
  return `SELECT * FROM ${name} WHERE ${idColumn} = ANY($1::text[]) ORDER BY ${idColumn}`;
}

export function lockRows<R>(table: Table<R>): string {
  return `${readRows(table)} FOR UPDATE`;
}

export function insertRows<R>(table: Table<R>, rows: readonly Row[]): Part {
  const names = [table.idColumn, ...columnNames(table)];
  return {
    sql: (first) =>
      `INSERT INTO ${table.name} (${names.join(', ')}) SELECT * FROM ${unnest(['text', ...types(table)], first)}`,
    values: [toArray(rows.map(({ id }) => id)), ...byColumn(table, rows)],
  };
}

/** For ids that the database counts: they follow the order of the rows. */
export function appendRows<R>(table: Table<R>, rows: readonly Row[]): Part {
  const names = columnNames(table).join(', ');
  return {
    sql: (first) =>
      `INSERT INTO ${table.name} (${names}) SELECT ${names} FROM ${unnest(types(table), first)} WITH ORDINALITY AS new (${names}, nth) ORDER BY nth`,
    values: byColumn(table, rows),
  };
}

export function updateRows<R>(table: Table<R>, rows: readonly Row[]): Part {
  const names = columnNames(table);
  return {
    sql: (first) =>
      `UPDATE ${table.name} SET ${names.map((name) => `${name} = new.${name}`).join(', ')}
       FROM ${unnest(['text', ...types(table)], first)} AS new (id, ${names.join(', ')}) WHERE ${table.name}.${table.idColumn} = new.id`,
    values: [toArray(rows.map(({ id }) => id)), ...byColumn(table, rows)],
  };
}

export function deleteRows<R>(table: Table<R>, ids: readonly string[]): Part {
  return {
    sql: (first) => `DELETE FROM ${table.name} WHERE ${table.idColumn} = ANY($${first}::text[])`,
    values: [toArray(ids)],
  };
}

export function joinParts(parts: readonly Part[]): Statement {
  const values: string[] = [];
  const pieces = parts.map((part, index) => {
    const sql = part.sql(values.length + 1);
    values.push(...part.values);
    return `w${index} AS (${sql})`;
  });
  return { sql: `WITH ${pieces.join(',\n')}\nSELECT`, values };
}

export function rowOf<R extends object>(table: Table<R>, id: string, row: R): Row {
  return { id, values: encodeRow(table, row) };
}

function columnNames<R>({ columns }: Table<R>): string[] {
  return columns.map(({ name }) => name);
}

function types<R>({ columns }: Table<R>): string[] {
  return columns.map(({ kind }) => TYPES[kind]);
}

function unnest(kinds: readonly string[], first: number): string {
  return `unnest(${kinds.map((kind, index) => `$${first + index}::${kind}[]`).join(', ')})`;
}

function byColumn<R>({ columns }: Table<R>, rows: readonly Row[]): string[] {
  return columns.map((_, index) => toArray(rows.map(({ values }) => values[index] ?? null)));
}

/** An array as PostgreSQL writes it: `{1,NULL,"a\"b"}`. */
export function toArray(values: readonly SqlValue[]): string {
  let text = '';
  for (const value of values) {
    text += text === '' ? '{' : ',';
    text += typeof value === 'string' ? quoted(value) : value === null ? 'NULL' : String(value);
  }
  return text === '' ? '{}' : `${text}}`;
}

function quoted(value: string): string {
  return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
}
