// The newest revision as a catalog, on this node. Readers always get a whole catalog; a new one replaces it at once.

import type { Alarms } from '../../kit/alarms.ts';
import { StoreRefused } from '../../store/refusal.ts';
import type { Store } from '../../store/store.ts';
import { buildCatalog, type Catalog } from '../catalog.ts';
import { printFault } from '../fault-words.ts';
import { readStoredDocument } from '../read-document.ts';

export interface ActiveCatalog {
  /** Throws only before the first refresh. */
  get(): Catalog;
  /** Follows the store if its newest revision is another one. Throws StoreRefused only if there is nothing to stay on. */
  refresh(revision: number): Promise<void>;
}

export function createActiveCatalog(store: Pick<Store, 'read'>, alarms: Alarms): ActiveCatalog {
  let active: Catalog | undefined;
  let rejected: number | undefined;
  return {
    get() {
      if (!active) throw new Error('the catalog was not loaded');
      return active;
    },
    async refresh(revision) {
      if (active?.revision === revision || rejected === revision) return;
      const newest = await store.read.newestRevision();
      if (!newest) return;
      const read = readStoredDocument(newest.document);
      if (read.ok) active = buildCatalog(read.document, newest.revision, newest.createdAt);
      else {
        const [first] = read.faults;
        if (!active) {
          throw new StoreRefused(
            `this version cannot read revision ${newest.revision} of the catalog (${first && printFault(first)}): upgrade the program or apply a file`,
          );
        }
        // Written by a newer version of the program: stay on what we know.
        rejected = newest.revision;
        alarms.raise('config_rejected', { revision: newest.revision, detail: first?.path });
      }
    },
  };
}
