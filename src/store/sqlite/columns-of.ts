// The columns of a table as the file itself describes them, in their order.

import type { Database } from 'bun:sqlite';

interface StoredColumn {
  name: string;
  isKey: boolean;
  isNullable: boolean;
}

export function columnsOf(db: Database, table: string): StoredColumn[] {
  return db
    .query<{ name: string; pk: bigint; required: bigint }, [string]>(
      'SELECT name, pk, "notnull" AS required FROM pragma_table_info(?) ORDER BY cid',
    )
    .all(table)
    .map(({ name, pk, required }) => ({ name, isKey: Number(pk) > 0, isNullable: Number(required) === 0 }));
}
