// The rows of an embedded table in the order of their keys, a bounded number at a time, every value as the text that
// PostgreSQL reads and writes for it: no number passes through a float.

import type { Database } from 'bun:sqlite';
import { assert } from '../../kit/assert.ts';
import type { MovedKind, MovedTable } from './plan-move.ts';

/** A value for each column. */
export type TextRow = readonly (string | null)[];

const BATCH_ROWS = 1_000;
/** One document alone may be longer. */
const BATCH_CHARS = 1_000_000;

export function* rowBatches(db: Database, { name, columns, key }: MovedTable): Generator<TextRow[]> {
  const list = columns.map((column) => column.name).join(', ');
  const statement = db.prepare<Record<string, unknown>, []>(`SELECT ${list} FROM ${name} ORDER BY ${key.join(', ')}`);
  let batch: TextRow[] = [];
  let chars = 0;
  try {
    for (const row of statement.iterate()) {
      const texts = columns.map((column) => toText(row[column.name], column.kind));
      batch.push(texts);
      for (const text of texts) chars += text?.length ?? 0;
      if (batch.length < BATCH_ROWS && chars < BATCH_CHARS) continue;
      yield batch;
      batch = [];
      chars = 0;
    }
  } finally {
    statement.finalize();
  }
  if (batch.length > 0) yield batch;
}

function toText(value: unknown, kind: MovedKind): string | null {
  if (value === null) return null;
  if (kind === 'text') {
    assert(typeof value === 'string', 'a text column holds text');
    return value;
  }
  assert(typeof value === 'bigint', 'an integer column holds integers');
  if (kind === 'bigint') return String(value);
  assert(value === 0n || value === 1n, 'a flag is 0 or 1');
  return value === 1n ? 'true' : 'false';
}
