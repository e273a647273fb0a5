// Plans which tables and columns are moved, from the schemas as both databases report them. A table or column that the other
// database lacks is refused, never skipped.

import type { Database } from 'bun:sqlite';
import type { Rows } from '../postgres/connection.ts';
import { StoreRefused } from '../refusal.ts';
import { type DriverRow, decoder, flag, number, text } from '../table.ts';

interface ColumnSchema {
  name: string;
  /** As its database names it. */
  type: string;
  /** The database assigns its numbers. */
  isCounted: boolean;
}

export interface TableSchema {
  name: string;
  columns: readonly ColumnSchema[];
  /** The columns of its primary key, in their order. */
  key: readonly string[];
  /** The tables that its foreign keys refer to. */
  refersTo: readonly string[];
}

export type MovedKind = 'text' | 'bigint' | 'boolean';

interface MovedColumn {
  name: string;
  kind: MovedKind;
}

export interface MovedTable {
  name: string;
  columns: readonly MovedColumn[];
  key: readonly string[];
  /** The column whose sequence continues from the last number of the embedded database. */
  counted: string | undefined;
}

/** Tables whose rows belong to one database: applied migrations, and leases of nodes. */
const EACH_ITS_OWN = ['schema_migrations', 'leases'];
/** Its rows are written to the other tables before the move. */
const EMBEDDED_ONLY = ['journal'];
/** Numbers of commits, which show whether a commit without an answer succeeded. */
const POSTGRES_ONLY = ['writers'];

/** The type of a value in both databases; SQLite has no boolean. */
const KINDS: Readonly<Record<string, MovedKind>> = {
  'TEXT text': 'text',
  'INTEGER bigint': 'bigint',
  'INTEGER boolean': 'boolean',
};

/** Ordered so that referenced tables come first. Throws StoreRefused. */
export function planMove(embedded: readonly TableSchema[], postgres: readonly TableSchema[]): MovedTable[] {
  const here = without(embedded, [...EACH_ITS_OWN, ...EMBEDDED_ONLY]);
  const there = without(postgres, [...EACH_ITS_OWN, ...POSTGRES_ONLY]);
  const faults = [
    ...missing(here, there).map((name) => `PostgreSQL has no place for ${name} of the embedded database`),
    ...missing(there, here).map((name) => `the embedded database has nothing for ${name} of PostgreSQL`),
  ];
  if (faults.length > 0) throw cannotMove(faults);
  return byReference(there).map((table) => planTable(find(here, table.name), table));
}

function planTable(here: TableSchema, there: TableSchema): MovedTable {
  const { name, key } = here;
  if (key.length === 0 || key.join() !== there.key.join()) throw cannotMove([`the keys of ${name} differ`]);
  const columns = here.columns.map((column) => {
    const type = there.columns.find((one) => one.name === column.name)?.type;
    const kind = KINDS[`${column.type} ${type}`];
    if (!kind) throw cannotMove([`${name}.${column.name} is ${column.type} here and ${type} in PostgreSQL`]);
    return { name: column.name, kind };
  });
  return { name, columns, key, counted: there.columns.find(({ isCounted }) => isCounted)?.name };
}

function byReference(tables: readonly TableSchema[]): TableSchema[] {
  const ordered: TableSchema[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const waits = ({ name, refersTo }: TableSchema) =>
      left.some((one) => one.name !== name && refersTo.includes(one.name));
    const next = left.filter((table) => !waits(table));
    if (next.length === 0) throw cannotMove([`${left.map(({ name }) => name).join(', ')} refer to each other`]);
    ordered.push(...next);
    left = left.filter(waits);
  }
  return ordered;
}

/** Tables and columns that only one of the databases has. */
function missing(tables: readonly TableSchema[], others: readonly TableSchema[]): string[] {
  return tables.flatMap(({ name, columns }) => {
    const other = others.find((one) => one.name === name);
    if (!other) return [`the table ${name}`];
    const known = other.columns.map((column) => column.name);
    return columns
      .filter((column) => !known.includes(column.name))
      .map((column) => `the column ${name}.${column.name}`);
  });
}

function without(tables: readonly TableSchema[], names: readonly string[]): TableSchema[] {
  return tables.filter(({ name }) => !names.includes(name));
}

function find(tables: readonly TableSchema[], name: string): TableSchema {
  const table = tables.find((one) => one.name === name);
  if (!table) throw cannotMove([`${name} is not there`]);
  return table;
}

function cannotMove(faults: readonly string[]): StoreRefused {
  return new StoreRefused(`the two databases do not have the same tables: ${faults.join('; ')}`);
}

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
