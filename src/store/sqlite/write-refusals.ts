// Writes refused requests, in a transaction of its own. No page of an operation is in these tables.

import type { Database } from 'bun:sqlite';
import {
  accountsOf,
  addCounts,
  addRequests,
  COUNT_COLUMNS,
  inOneOrder,
  REQUEST_COLUMNS,
  type RefusalBatch,
  trimRequests,
} from '../refusals.ts';
import { marks, prepareEncode } from './write-book.ts';

const encodeCount = prepareEncode(COUNT_COLUMNS);
const encodeRequest = prepareEncode(REQUEST_COLUMNS);

export function writeRefusals(db: Database, { counts, requests }: RefusalBatch): void {
  const count = db.query(addCounts(`VALUES (${marks(COUNT_COLUMNS.length)})`));
  const keep = db.query(addRequests(`VALUES (${marks(REQUEST_COLUMNS.length)})`));
  const trim = db.query(trimRequests('SELECT value FROM json_each(?)'));
  db.transaction(() => {
    for (const one of inOneOrder(counts)) count.run(...encodeCount(one));
    for (const one of requests) keep.run(...encodeRequest(one));
    trim.run(JSON.stringify(accountsOf(requests)));
  }).immediate();
}
