// Prices of a past catalog revision, for receipts and quotes. Parsing a document takes time that running streams need, and
// revisions never change, so the most recently used price lists are cached.

import { buildCatalog, type Catalog } from '../catalog/catalog.ts';
import { type PricesByModel, priceListOf } from '../catalog/price-list.ts';
import { readStoredDocument } from '../catalog/read-document.ts';
import { FREE, type ListPrices } from '../kit/prices.ts';
import type { Store } from '../store/store.ts';

export type PricesAt = (revision: number, modelId: string) => Promise<ListPrices>;

/** Empty for a revision that is unknown or cannot be read. */
export type PriceListAt = (revision: number) => Promise<PricesByModel>;

export interface PastPricesTools {
  priceListAt: PriceListAt;
  catalog(): Pick<Catalog, 'revision' | 'find'>;
}

export const MAX_REVISIONS = 32;

/** `FREE` for a model that the revision does not have. */
export function createPricesAt({ priceListAt, catalog }: PastPricesTools): PricesAt {
  return async (revision, modelId) => {
    const active = catalog();
    const model = active.revision === revision ? active.find(modelId) : (await priceListAt(revision)).get(modelId);
    return model?.prices ?? FREE;
  };
}

export function createPriceLists(store: Pick<Store, 'read'>): PriceListAt {
  /** In order of use, the most recent last. */
  const lists = new Map<number, Promise<PricesByModel>>();

  /** Concurrent callers share one read. */
  return async (revision) => {
    const list = lists.get(revision) ?? readPrices(store, revision);
    lists.delete(revision);
    lists.set(revision, list);
    for (const oldest of lists.keys()) if (lists.size > MAX_REVISIONS) lists.delete(oldest);
    try {
      return await list;
    } catch (error) {
      // The next read may succeed; a late failure must not remove a newer entry.
      if (lists.get(revision) === list) lists.delete(revision);
      throw error;
    }
  };
}

async function readPrices(store: Pick<Store, 'read'>, revision: number): Promise<PricesByModel> {
  const stored = await store.read.revision(revision);
  const read = stored && readStoredDocument(stored.document);
  if (!read?.ok) return new Map();
  return priceListOf(buildCatalog(read.document, revision, stored?.createdAt ?? 0));
}
