// One document at any moment: its catalog changes by itself when a price changes or a model retires.

import { buildCatalog, type Catalog } from './catalog.ts';
import type { Document } from './document.ts';
import { isWithin } from './schedule.ts';

export type CatalogOverTime = (at: number) => Catalog;

/** The last catalog is kept: moments mostly follow each other. */
export function catalogOverTime(
  document: Document,
  revision: number,
  createdAt: number,
  deprecatedSince?: ReadonlyMap<string, number>,
): CatalogOverTime {
  let last: Catalog | undefined;
  return (at) => {
    if (!last || !isWithin(last, at)) last = buildCatalog(document, revision, createdAt, { at, deprecatedSince });
    return last;
  };
}
