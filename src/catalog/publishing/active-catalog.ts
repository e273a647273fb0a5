// The newest revision as this node's catalog, as it applies now. Readers always get a complete catalog; a new one replaces it
// atomically.

import type { Alarms } from '../../kit/alarms.ts';
import type { Clock } from '../../kit/clock.ts';
import { StoreRefused } from '../../store/refusal.ts';
import type { Revision } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { type Catalog, type CatalogOverTime, catalogOverTime } from '../catalog.ts';
import type { Document } from '../document.ts';
import { printFault } from '../fault-words.ts';
import { fieldsOf, listOf } from '../loose-fields.ts';
import { readStoredDocument } from '../read-document.ts';
import { documentAt } from '../schedule.ts';

export function createActiveCatalog(store: Pick<Store, 'read'>, clock: Clock, alarms: Alarms) {
  let active: { revision: number; document: Document; at: CatalogOverTime } | undefined;
  let rejected: number | undefined;
  const loaded = () => {
    if (!active) throw new Error('the catalog was not loaded');
    return active;
  };
  return {
    /** Throws before the first refresh. */
    get: (): Catalog => loaded().at(clock.now()),
    /** The document of that catalog. */
    document: () => documentAt(loaded().document, clock.now()),
    /** Loads the newest revision if it changed. Throws StoreRefused only if no catalog is loaded yet. */
    async refresh(latest: number): Promise<void> {
      if (active?.revision === latest || rejected === latest) return;
      const newest = await store.read.newestRevision();
      if (!newest) return;
      const read = readStoredDocument(newest.document);
      if (read.ok) {
        const { revision, createdAt } = newest;
        const { document } = read;
        const since = await deprecatedSince(store, newest, document);
        active = { revision, document, at: catalogOverTime(document, revision, createdAt, since) };
      } else {
        const [first] = read.faults;
        if (!active) {
          throw new StoreRefused(
            `this version cannot read revision ${newest.revision} of the catalog (${first && printFault(first)}): upgrade the program or apply a file`,
          );
        }
        // Written by a newer version of the program: keep the current catalog.
        rejected = newest.revision;
        alarms.raise('config_rejected', { revision: newest.revision, detail: first?.path });
      }
    },
  };
}

/** A date that is older is taken to be set in the oldest revision that is read. */
const MAX_REVISIONS = 100;

/**
 * Since when each retiring model has a date: since the first of the latest revisions that all set one. It is read from the
 * revisions, so that it is the same on every node and after a restart.
 */
async function deprecatedSince(
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
