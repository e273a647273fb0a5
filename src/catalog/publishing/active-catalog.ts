// The newest revision as this node's catalog, as it applies now. Readers always get a complete catalog; a new one replaces it
// atomically.

import type { Alarms } from '../../kit/alarms.ts';
import type { Clock } from '../../kit/clock.ts';
import { StoreRefused } from '../../store/refusal.ts';
import type { Store } from '../../store/store.ts';
import { type Catalog, type CatalogOverTime, catalogOverTime } from '../catalog.ts';
import { printFault } from '../fault-words.ts';
import { readStoredDocument } from '../read-document.ts';
import { deprecatedSince } from './deprecated-since.ts';

export interface ActiveCatalog {
  /** Throws before the first refresh. */
  get(): Catalog;
  /** Loads the newest revision if it changed. Throws StoreRefused only if no catalog is loaded yet. */
  refresh(latest: number): Promise<void>;
}

export function createActiveCatalog(store: Pick<Store, 'read'>, clock: Clock, alarms: Alarms): ActiveCatalog {
  let active: { revision: number; at: CatalogOverTime } | undefined;
  let rejected: number | undefined;
  return {
    get() {
      if (!active) throw new Error('the catalog was not loaded');
      return active.at(clock.now());
    },
    async refresh(latest) {
      if (active?.revision === latest || rejected === latest) return;
      const newest = await store.read.newestRevision();
      if (!newest) return;
      const read = readStoredDocument(newest.document);
      if (read.ok) {
        const { revision, createdAt } = newest;
        const since = await deprecatedSince(store, newest, read.document);
        active = { revision, at: catalogOverTime(read.document, revision, createdAt, since) };
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
