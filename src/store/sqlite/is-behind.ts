// Whether answered batches are in the journal and not in the tables yet, whoever wrote them. Apart from the journal itself,
// so that a reader need not load what decides.

import type { Database } from 'bun:sqlite';

export function prepareIsBehind(db: Database): () => boolean {
  const first = db.prepare('SELECT 1 FROM journal LIMIT 1');
  return () => first.get() !== null;
}
