// The catalog that a call with a quote is charged by: the active one with the prices of the quoted revision at the time of
// the quote.

import type { Catalog } from '../../catalog/catalog.ts';
import { repriceCatalog } from '../../catalog/price-list.ts';
import { isWithin } from '../../catalog/schedule.ts';
import type { PriceListAt } from '../prices-at.ts';

/** Undefined if the revision is unknown or cannot be read. */
export type CatalogAt = (revision: number, pricedAt: number) => Promise<Catalog | undefined>;

interface CatalogAtTools {
  catalog(): Catalog;
  priceListAt: PriceListAt;
}

/** A quote lives for minutes: few revisions are quoted at a time. */
const MAX_REVISIONS = 8;

export function createCatalogAt({ catalog, priceListAt }: CatalogAtTools): CatalogAt {
  const known = new Map<number, { active: Catalog; repriced: Catalog }>();
  return async (revision, pricedAt) => {
    const active = catalog();
    if (active.revision === revision && isWithin(active, pricedAt)) return active;
    const found = known.get(revision);
    if (found?.active === active && isWithin(found.repriced, pricedAt)) return found.repriced;
    const period = await priceListAt(revision, pricedAt);
    if (!period) return undefined;
    const repriced = repriceCatalog(active, revision, period);
    if (known.size >= MAX_REVISIONS) known.clear();
    known.set(revision, { active, repriced });
    return repriced;
  };
}
