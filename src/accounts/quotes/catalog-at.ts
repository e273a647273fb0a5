// The catalog that a call with a quote is charged by: the active one with the prices of the quoted revision.

import type { Catalog } from '../../catalog/catalog.ts';
import { repriceCatalog } from '../../catalog/price-list.ts';
import type { PriceListAt } from '../prices-at.ts';

/** Undefined if the revision is unknown or cannot be read. */
export type CatalogAt = (revision: number) => Promise<Catalog | undefined>;

export interface CatalogAtTools {
  catalog(): Catalog;
  priceListAt: PriceListAt;
}

/** A quote lives for minutes: few revisions are quoted at a time. */
const MOST_REVISIONS = 8;

export function createCatalogAt({ catalog, priceListAt }: CatalogAtTools): CatalogAt {
  const known = new Map<number, { active: Catalog; repriced: Catalog }>();
  return async (revision) => {
    const active = catalog();
    if (active.revision === revision) return active;
    const found = known.get(revision);
    if (found?.active === active) return found.repriced;
    const list = await priceListAt(revision);
    if (list.size === 0) return undefined;
    const repriced = repriceCatalog(active, revision, list);
    if (known.size >= MOST_REVISIONS) known.clear();
    known.set(revision, { active, repriced });
    return repriced;
  };
}
