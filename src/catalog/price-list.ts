// The prices of one revision, by name of the model, and a catalog that charges by those of another revision.

import type { Catalog, Model } from './catalog.ts';

/** What a revision says about the price of a model. */
export type PricedModel = Pick<Model, 'id' | 'free' | 'prices' | 'priced'>;

/** By id or alias. */
export type PricesByModel = ReadonlyMap<string, PricedModel>;

export function priceListOf({ models }: Pick<Catalog, 'models'>): PricesByModel {
  return new Map(
    models.flatMap(({ id, aliases, free, prices, priced }) =>
      [id, ...aliases].map((name) => [name, { id, free, prices, priced }] as const),
    ),
  );
}

/**
 * The catalog with the prices of another revision, and named after it: holds and receipts find the price by the revision.
 * Names mean what they meant in that revision. Models that it does not have are left out; routes, limits and everything else
 * are those of the catalog.
 */
export function repriceCatalog(catalog: Catalog, revision: number, list: PricesByModel): Catalog {
  const models = catalog.models.flatMap((model): Model[] => {
    const then = list.get(model.id);
    return then?.id === model.id ? [{ ...model, ...then }] : [];
  });
  const byId = new Map(models.map((model) => [model.id, model]));
  return { ...catalog, revision, models, find: (name) => byId.get(list.get(name)?.id ?? '') };
}
