// A statement that is compiled when it is first run: of the many that a store knows, most runs of it need few.

import type { Database } from 'bun:sqlite';
import type { SqlValue } from '../table.ts';

type Compiled<Row, Values extends SqlValue[]> = ReturnType<typeof Database.prototype.prepare<Row, Values>>;

export function whenRun<Row = unknown, Values extends SqlValue[] = SqlValue[]>(
  db: Database,
  sql: string,
): () => Compiled<Row, Values> {
  let statement: Compiled<Row, Values> | undefined;
  return () => {
    statement ??= db.prepare<Row, Values>(sql);
    return statement;
  };
}
