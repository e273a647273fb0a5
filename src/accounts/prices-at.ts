// Prices of a past catalog revision, for receipts. Parsing a document takes time that running streams need, and
// revisions never change, so the most recently used price lists are cached.

import { buildCatalog, type Catalog } from '../catalog/catalog.ts';
import { readStoredDocument } from '../catalog/read-document.ts';
import { FREE, type ListPrices } from '../kit/prices.ts';
import type { Store } from '../store/store.ts';

export type PricesAt = (revision: number, modelId: string) => Promise<ListPrices>;

interface PastPricesTools {
  store: Pick<Store, 'read'>;
  catalog(): Pick<Catalog, 'revision' | 'find'>;
}

/** By id or alias. */
type PriceList = ReadonlyMap<string, ListPrices>;

export const MAX_REVISIONS = 32;

/** `FREE` for a model that the revision does not have. */
export function createPricesAt({ store, catalog }: PastPricesTools): PricesAt {
  /** In order of use, the most recent last. */
  const lists = new Map<number, Promise<PriceList>>();

  /** Concurrent callers share one read. */
  function listOf(revision: number): Promise<PriceList> {
    const list = lists.get(revision) ?? readPrices(store, revision);
    lists.delete(revision);
    lists.set(revision, list);
    for (const oldest of lists.keys()) if (lists.size > MAX_REVISIONS) lists.delete(oldest);
    return list;
  }

  return async (revision, modelId) => {
    const active = catalog();
    if (active.revision === revision) return active.find(modelId)?.prices ?? FREE;
    const list = listOf(revision);
    try {
      return (await list).get(modelId) ?? FREE;
    } catch (error) {
      // The next read may succeed; a late failure must not remove a newer entry.
      if (lists.get(revision) === list) lists.delete(revision);
      throw error;
    }
  };
}

async function readPrices(store: Pick<Store, 'read'>, revision: number): Promise<PriceList> {
  const stored = await store.read.revision(revision);
  const read = stored && readStoredDocument(stored.document);
  if (!read?.ok) return new Map();
  const { models } = buildCatalog(read.document, revision, stored?.createdAt ?? 0);
  return new Map(models.flatMap(({ id, aliases, prices }) => [id, ...aliases].map((name) => [name, prices] as const)));
}
