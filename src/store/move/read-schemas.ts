// The tables of the two databases, as the databases themselves list them.

import type { Database } from 'bun:sqlite';
import type { Rows } from '../postgres/connection.ts';
import { type DriverRow, decoder, flag, number, text } from '../table.ts';
import type { TableSchema } from './plan-move.ts';

const SQLITE_COLUMNS = `SELECT tables.name AS table_name, columns.name AS column_name, columns.type AS type, 0 AS is_counted,
    columns.pk AS key_place
  FROM sqlite_master AS tables, pragma_table_xinfo(tables.name) AS columns
  WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY tables.name, columns.cid`;

export function readSqliteSchema(db: Database): TableSchema[] {
  return toTables(db.query<DriverRow, []>(SQLITE_COLUMNS).all());
}

const POSTGRES_COLUMNS = `SELECT tables.relname AS table_name, columns.attname AS column_name,
    format_type(columns.atttypid, columns.atttypmod) AS type, columns.attidentity <> '' AS is_counted,
    coalesce(array_position(keys.conkey, columns.attnum), 0) AS key_place,
    ARRAY(SELECT other.relname::text FROM pg_constraint AS reference JOIN pg_class AS other ON other.oid = reference.confrelid
      WHERE reference.conrelid = tables.oid AND reference.contype = 'f') AS refers_to
  FROM pg_class AS tables
  JOIN pg_namespace AS schemas ON schemas.oid = tables.relnamespace AND schemas.nspname = current_schema()
  JOIN pg_attribute AS columns ON columns.attrelid = tables.oid AND columns.attnum > 0 AND NOT columns.attisdropped
  LEFT JOIN pg_constraint AS keys ON keys.conrelid = tables.oid AND keys.contype = 'p'
  WHERE tables.relkind IN ('r', 'p') ORDER BY tables.relname, columns.attnum`;

export async function readPostgresSchema(ask: (sql: string) => Promise<Rows>): Promise<TableSchema[]> {
  return toTables(await ask(POSTGRES_COLUMNS));
}

/** References and counters are PostgreSQL's to check: of the embedded database they are not asked for. */
const decodeColumn = decoder({
  name: text('column_name'),
  type: text('type'),
  isCounted: flag('is_counted'),
  /** Its place in the primary key, from 1; 0 if it is not in it. */
  keyPlace: number('key_place'),
});

function toTables(rows: readonly DriverRow[]): TableSchema[] {
  return [...Map.groupBy(rows, ({ table_name }) => String(table_name))].map(([name, own]) => {
    const columns = own.map(decodeColumn);
    return {
      name,
      columns: columns.map(({ keyPlace: _, ...column }) => column),
      key: columns
        .filter(({ keyPlace }) => keyPlace > 0)
        .toSorted((a, b) => a.keyPlace - b.keyPlace)
        .map((column) => column.name),
      refersTo: (own[0]?.refers_to ?? []) as string[],
    };
  });
}
