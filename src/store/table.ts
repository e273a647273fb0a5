// The columns of a stored row, described once: the type of the row is inferred from them, and both databases read and
// write by them.

import type { Nano } from '../kit/money.ts';
import { type AllLimits, type KeyLimits, limitsToText, textToLimits } from './key-limits.ts';
import { type Slots, slotsToText, textToSlots } from './slots-text.ts';

/** text; a number within 2^53; money as a 64-bit integer; a yes or no; JSON in a text column; a window's slots or the limits of a
 * key in one. */
export type ColumnKind = 'text' | 'number' | 'money' | 'flag' | TextKind;
type TextKind = 'json' | 'slots' | 'limits';

interface Described<Value> {
  name: string;
  kind: ColumnKind;
  /** In place of NULL. */
  empty?: 0 | 0n;
  /** Exists only in the type: a value of the column in a row. */
  value?: Value;
}

/** Where the row itself carries its id. */
export const ID: Described<string> = { name: '', kind: 'text' };

// Each takes the type of its values where that is narrower, or nullable.
export const text = <Value extends string | null = string>(name: string): Described<Value> => ({ name, kind: 'text' });
export const number = <Value extends number | null = number>(name: string): Described<Value> => ({
  name,
  kind: 'number',
});
export const money = <Value extends Nano | null = Nano>(name: string): Described<Value> => ({ name, kind: 'money' });
export const flag = (name: string): Described<boolean> => ({ name, kind: 'flag' });
export const json = <Value>(name: string): Described<Value> => ({ name, kind: 'json' });
export const slots = (name: string): Described<Slots> => ({ name, kind: 'slots' });
export const limits = <Value extends KeyLimits | null>(name: string): Described<Value> => ({ name, kind: 'limits' });

// Of a statement's sums, which are NULL where there are no rows.
export const count = (name: string): Described<number> => ({ name, kind: 'number', empty: 0 });
export const sum = (name: string): Described<Nano> => ({ name, kind: 'money', empty: 0n });

export interface Column {
  name: string;
  field: string;
  kind: ColumnKind;
}

export interface Table<Row> {
  name: string;
  /** The primary key; a page's id is its value. */
  idColumn: string;
  /** Where the row itself carries its id. */
  idField: string | undefined;
  columns: readonly Column[];
  /** Exists only in the type: the type of a decoded row. */
  row?: Row;
}

export type RowOf<Of extends Table<unknown>> = NonNullable<Of['row']>;

export type Fields<Row> = { [Field in keyof Row]: Described<Row[Field]> };

export function table<Row>(name: string, idColumn: string, fields: Fields<Row>): Table<Row> {
  const idField = Object.entries(fields).find(([, column]) => column === ID)?.[0];
  return { name, idColumn, idField, columns: columnsOf(fields) };
}

export function columnsOf<Row>(fields: Fields<Row>): Column[] {
  return Object.entries<Described<unknown>>(fields)
    .filter(([, column]) => column !== ID)
    .map(([field, { name, kind }]) => ({ name, field, kind }));
}

/** The same table, with rows that carry their id. */
export function withId<Row, Id extends object>(table: Table<Row>, idField: keyof Id & string): Table<Row & Id> {
  const { name, idColumn, columns } = table;
  return { name, idColumn, idField, columns };
}

export type SqlValue = string | number | bigint | boolean | null;

/** A value that is stored as text. */
export function toText(value: unknown, kind: TextKind): string {
  if (kind === 'slots') return slotsToText(value as Slots);
  return kind === 'json' ? JSON.stringify(value) : limitsToText(value as AllLimits);
}

export function fromText(stored: string, kind: TextKind): unknown {
  if (kind === 'slots') return textToSlots(stored);
  return kind === 'json' ? JSON.parse(stored) : textToLimits(stored);
}

export function isTextKind(kind: ColumnKind): kind is TextKind {
  return kind === 'json' || kind === 'slots' || kind === 'limits';
}

export type DriverRow = Readonly<Record<string, unknown>>;

/** For rows of a statement that are not those of a table. */
export function decoder<Row>(fields: Fields<Row>): (source: DriverRow | undefined) => Row {
  const columns = Object.entries<Described<unknown>>(fields);
  return (source) =>
    Object.fromEntries(
      columns.map(([field, { name, kind, empty = null }]) => [field, decodeValue(source?.[name], kind) ?? empty]),
    ) as Row;
}

/** A row from what a driver returned; integers may come as number, bigint or text, flags as boolean or 0 and 1. */
export function decodeRow<Row>({ columns, idColumn, idField }: Table<Row>, source: DriverRow): Row {
  const row: Record<string, unknown> = {};
  if (idField !== undefined) row[idField] = decodeId(source[idColumn]);
  for (const { name, field, kind } of columns) row[field] = decodeValue(source[name], kind);
  return row as Row;
}

/** Ids are text, except those that the database assigns. */
function decodeId(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function decodeValue(value: unknown, kind: ColumnKind): unknown {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case 'text':
      return String(value);
    case 'number':
      return Number(value);
    case 'money':
      return BigInt(value as string | number | bigint);
    case 'flag':
      return value === true || value === 1n || value === 1;
    case 'json':
    case 'slots':
    case 'limits':
      return fromText(String(value), kind);
  }
}
