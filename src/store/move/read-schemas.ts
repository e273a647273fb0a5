// The tables of the two databases, as the databases themselves list them.

import type { Database } from 'bun:sqlite';
import type { Rows } from '../postgres/connection.ts';
import type { TableSchema } from './plan-move.ts';

interface SqliteColumn {
  table_name: string;
  column_name: string;
  type: string;
  /** Its place in the primary key, from 1; 0 if it is not in it. */
  key_place: bigint;
}

const SQLITE_COLUMNS = `SELECT tables.name AS table_name, columns.name AS column_name, columns.type AS type, columns.pk AS key_place
  FROM sqlite_master AS tables, pragma_table_xinfo(tables.name) AS columns
  WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY tables.name, columns.cid`;

/** References are PostgreSQL's to check: here they are not asked for. */
export function readSqliteSchema(db: Database): TableSchema[] {
  const columns = db.query<SqliteColumn, []>(SQLITE_COLUMNS).all();
  return [...Map.groupBy(columns, ({ table_name }) => table_name)].map(([name, own]) => ({
    name,
    columns: own.map(({ column_name, type }) => ({ name: column_name, type, isCounted: false })),
    key: own
      .filter(({ key_place }) => key_place > 0n)
      .toSorted((a, b) => Number(a.key_place - b.key_place))
      .map(({ column_name }) => column_name),
    refersTo: [],
  }));
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
  const columns = await ask(POSTGRES_COLUMNS);
  return [...Map.groupBy(columns, ({ table_name }) => String(table_name))].map(([name, own]) => ({
    name,
    columns: own.map(({ column_name, type, is_counted }) => ({
      name: String(column_name),
      type: String(type),
      isCounted: is_counted === true,
    })),
    key: own
      .filter(({ key_place }) => Number(key_place) > 0)
      .toSorted((a, b) => Number(a.key_place) - Number(b.key_place))
      .map(({ column_name }) => String(column_name)),
    refersTo: own[0]?.refers_to as string[],
  }));
}
