// Whether the journal has answered batches that are not in the tables yet, of any process. Separate from journal.ts, so that
// a reader does not load the code of operations.

import type { Database } from 'bun:sqlite';

export function prepareIsBehind(db: Database): () => boolean {
  const first = db.prepare('SELECT 1 FROM journal LIMIT 1');
  return () => first.get() !== null;
}
