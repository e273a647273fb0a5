// Writes refused requests, in a transaction of its own. No page of an operation is in these tables.

import type { Database } from 'bun:sqlite';
import {
  accountsOf,
  addCounts,
  addRequests,
  COUNT_COLUMNS,
  countRows,
  REQUEST_COLUMNS,
  type RefusalBatch,
  requestRows,
  trimRequests,
} from '../refusals.ts';

export function writeRefusals(db: Database, { counts, requests }: RefusalBatch): void {
  const count = db.query(addCounts(`VALUES (${marks(COUNT_COLUMNS)})`));
  const keep = db.query(addRequests(`VALUES (${marks(REQUEST_COLUMNS)})`));
  const trim = db.query(trimRequests('SELECT value FROM json_each(?)'));
  db.transaction(() => {
    for (const row of countRows(counts)) count.run(...row);
    for (const row of requestRows(requests)) keep.run(...row);
    trim.run(JSON.stringify(accountsOf(requests)));
  }).immediate();
}

function marks(columns: readonly string[]): string {
  return columns.map(() => '?').join(', ');
}
