// Whether answered batches are in the journal and not in the tables yet, written by any process. Not part of journal.ts, so
// that a reader need not load what decides.

import type { Database } from 'bun:sqlite';

export function prepareIsBehind(db: Database): () => boolean {
  const first = db.prepare('SELECT 1 FROM journal LIMIT 1');
  return () => first.get() !== null;
}
