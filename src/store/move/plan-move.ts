// Which tables are moved, and how each of their columns is written. It is worked out from what the two databases say of
// themselves: a table or a column that has no place on the other side is a refusal, never left out in silence.

import { StoreRefused } from '../refusal.ts';

interface ColumnSchema {
  name: string;
  /** In the words of its database. */
  type: string;
  /** The database counts it. */
  isCounted: boolean;
}

export interface TableSchema {
  name: string;
  columns: readonly ColumnSchema[];
  /** The columns of its primary key, in their order. */
  key: readonly string[];
  /** The tables whose rows its own refer to. */
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
  /** The column that PostgreSQL counts on from where the embedded database was. */
  counted: string | undefined;
}

/** Each database has its own: what was applied to it, and the nodes that live on it. */
const EACH_ITS_OWN = ['schema_migrations', 'leases'];
/** Posted to the other tables before anything is moved. */
const EMBEDDED_ONLY = ['journal'];
/** Marks of commits, from which a node learns whether a commit without an answer was made. */
const POSTGRES_ONLY = ['writers'];

/** The type of a value in both databases; SQLite has no boolean. */
const KINDS: Readonly<Record<string, MovedKind>> = {
  'TEXT text': 'text',
  'INTEGER bigint': 'bigint',
  'INTEGER boolean': 'boolean',
};

/** In an order in which every row finds those that it refers to. Throws StoreRefused. */
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

/** Tables and columns of the one side that the other has not. */
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
