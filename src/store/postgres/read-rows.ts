// Rows of a table as they are read within a batch: the server names the columns like the fields and sends a number within
// 2^53 as one, not as a bigint, so that most rows are used just as they come.

import { fromText, isTextKind, type Table } from '../table.ts';
import type { Rows } from './connection.ts';

export interface RowReader<Row> {
  /** Selects the rows whose ids are in an array. */
  read: string;
  /** Waits for the rows, in the order of their ids. */
  lock: string;
  /** The ids of rows that another session has locked, without waiting. */
  locked: string;
  /** For statements with their own conditions. */
  columns: string;
  decode(rows: Rows): Map<string, Row>;
}

export function prepareReader<Row>({ name, idColumn, idField, columns }: Table<Row>): RowReader<Row> {
  const id = idField ?? ID;
  const list = [
    `${idColumn} AS "${id}"`,
    ...columns.map((column) => `${column.name}${column.kind === 'number' ? '::float8' : ''} AS "${column.field}"`),
  ].join(', ');
  const those = `FROM ${name} WHERE ${idColumn} = ANY($1::text[])`;
  const read = `SELECT ${list} ${those} ORDER BY ${name}.${idColumn}`;
  const fields = columns.map(({ field }) => field);
  const texts = columns.flatMap(({ field, kind }) => (isTextKind(kind) ? [{ field, kind }] : []));

  return {
    read,
    lock: `${read} FOR UPDATE`,
    locked: `WITH free AS (SELECT ${idColumn} ${those} FOR UPDATE SKIP LOCKED)
      SELECT ${idColumn} AS id ${those} AND ${idColumn} NOT IN (SELECT ${idColumn} FROM free)`,
    columns: list,
    decode(rows) {
      const decoded = new Map<string, Row>();
      for (const row of rows) {
        const own = idField === undefined ? pick(row, fields) : (row as Record<string, unknown>);
        for (const { field, kind } of texts) if (own[field] !== null) own[field] = fromText(own[field] as string, kind);
        decoded.set(row[id] as string, own as Row);
      }
      return decoded;
    },
  };
}

/** The id's column name in a row without its own id. */
const ID = 'id';

function pick(row: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) picked[field] = row[field];
  return picked;
}
