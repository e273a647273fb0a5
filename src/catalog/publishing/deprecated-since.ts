// Since when each retiring model has a date: since the first of the latest revisions that all set one. It is read from the
// revisions, so that it is the same on every node and after a restart.

import type { Revision } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { Document } from '../document.ts';
import { fieldsOf, listOf } from '../loose-fields.ts';

/** A date that is older is taken to be set in the oldest revision that is read. */
const MAX_REVISIONS = 100;

export async function deprecatedSince(
  store: Pick<Store, 'read'>,
  newest: Pick<Revision, 'revision' | 'createdAt'>,
  { models }: Pick<Document, 'models'>,
): Promise<ReadonlyMap<string, number>> {
  const open = new Set(models.flatMap(({ id, retires_at: at }) => (at === undefined ? [] : [id])));
  const since = new Map([...open].map((id) => [id, newest.createdAt]));
  const oldest = Math.max(1, newest.revision - MAX_REVISIONS);
  for (let revision = newest.revision - 1; revision >= oldest && open.size > 0; revision--) {
    const stored = await store.read.revision(revision);
    if (!stored) continue;
    const dated = datedModels(stored.document);
    for (const id of open) {
      if (dated.has(id)) since.set(id, stored.createdAt);
      else open.delete(id);
    }
  }
  return since;
}

/** Without a check of the whole document: it may have been written by another version. */
function datedModels(stored: string): ReadonlySet<unknown> {
  try {
    const models = listOf(fieldsOf(JSON.parse(stored)).models).map(fieldsOf);
    return new Set(models.flatMap(({ id, retires_at: at }) => (at === undefined ? [] : [id])));
  } catch {
    return new Set();
  }
}
