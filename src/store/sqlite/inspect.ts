// What a file says of itself: the columns of its tables, and whether its journal was posted. Separate from journal.ts, so that
// a reader does not load the code of operations.

import type { Database } from 'bun:sqlite';

interface StoredColumn {
  name: string;
  isKey: boolean;
  isNullable: boolean;
}

/** In their order. */
export function columnsOf(db: Database, table: string): StoredColumn[] {
  return db
    .query<{ name: string; pk: bigint; required: bigint }, [string]>(
      'SELECT name, pk, "notnull" AS required FROM pragma_table_info(?) ORDER BY cid',
    )
    .all(table)
    .map(({ name, pk, required }) => ({ name, isKey: Number(pk) > 0, isNullable: Number(required) === 0 }));
}

/** Whether the journal has answered batches that are not in the tables yet, of any process. */
export function prepareIsBehind(db: Database): () => boolean {
  const first = db.prepare('SELECT 1 FROM journal LIMIT 1');
  return () => first.get() !== null;
}
