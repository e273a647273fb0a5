// Prices of a past catalog revision at a moment, for receipts and quotes. Parsing a document takes time that running streams
// need, and revisions never change, so the most recently used price lists are cached.

import { buildCatalog, type Catalog, type CatalogOverTime, catalogOverTime } from '../catalog/catalog.ts';
import { type PricePeriod, priceListOf } from '../catalog/price-list.ts';
import { readStoredDocument } from '../catalog/read-document.ts';
import { isWithin } from '../catalog/schedule.ts';
import { FREE, type ListPrices } from '../kit/prices.ts';
import type { Store } from '../store/store.ts';

/** `at`: when the call was admitted. */
export type PricesAt = (revision: number, modelId: string, at: number) => Promise<ListPrices>;

/** Undefined for a revision that is unknown or cannot be read. */
export type PriceListAt = (revision: number, at: number) => Promise<PricePeriod | undefined>;

interface PastPricesTools {
  priceListAt: PriceListAt;
  catalog(): Pick<Catalog, 'revision' | 'find' | 'from' | 'until'>;
}

export const MAX_REVISIONS = 32;

/** `FREE` for a model that the revision does not have. */
export function createPricesAt({ priceListAt, catalog }: PastPricesTools): PricesAt {
  return async (revision, modelId, at) => {
    const active = catalog();
    const isActive = active.revision === revision && isWithin(active, at);
    const model = isActive ? active.find(modelId) : (await priceListAt(revision, at))?.list.get(modelId);
    return model?.prices ?? FREE;
  };
}

type PricesOverTime = (at: number) => PricePeriod;

export function createPriceLists(store: Pick<Store, 'read'>): PriceListAt {
  /** In order of use, the most recent last. */
  const lists = new Map<number, Promise<PricesOverTime | undefined>>();

  /** Concurrent callers share one read. */
  return async (revision, at) => {
    const list = lists.get(revision) ?? readPrices(store, revision);
    lists.delete(revision);
    lists.set(revision, list);
    for (const oldest of lists.keys()) if (lists.size > MAX_REVISIONS) lists.delete(oldest);
    try {
      return (await list)?.(at);
    } catch (error) {
      // The next read may succeed; a late failure must not remove a newer entry.
      if (lists.get(revision) === list) lists.delete(revision);
      throw error;
    }
  };
}

async function readPrices(store: Pick<Store, 'read'>, revision: number): Promise<PricesOverTime | undefined> {
  const stored = await store.read.revision(revision);
  const read = stored && readStoredDocument(stored.document);
  if (!read?.ok) return undefined;
  const createdAt = stored?.createdAt ?? 0;
  const catalog = buildCatalog(read.document, revision, createdAt);
  const hasOnePeriod = catalog.from === Number.NEGATIVE_INFINITY && catalog.until === Number.POSITIVE_INFINITY;
  if (!hasOnePeriod) return overTime(catalogOverTime(read.document, revision, createdAt));
  // Keeps nothing else of the document, which can be large.
  const period = periodOf(catalog);
  return () => period;
}

function overTime(catalogAt: CatalogOverTime): PricesOverTime {
  let last: PricePeriod | undefined;
  return (at) => {
    if (!last || !isWithin(last, at)) last = periodOf(catalogAt(at));
    return last;
  };
}

function periodOf(catalog: Catalog): PricePeriod {
  return { list: priceListOf(catalog), from: catalog.from, until: catalog.until };
}
