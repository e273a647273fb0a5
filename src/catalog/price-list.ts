// The prices of one revision, by name of the model, and a catalog that charges by those of another revision.

import type { Catalog, Model } from './catalog.ts';
import type { Period } from './schedule.ts';

/** The price of a model in a revision. */
type PricedModel = Pick<Model, 'id' | 'free' | 'prices' | 'priced'>;

/** By id or alias; under the name of a retired model, the one that replaces it. */
type PricesByModel = ReadonlyMap<string, PricedModel>;

/** The prices of a revision from one moment to another. */
export interface PricePeriod extends Period {
  list: PricesByModel;
}

export function priceListOf({ models, retired, find }: Pick<Catalog, 'models' | 'retired' | 'find'>): PricesByModel {
  const names = [...models.flatMap(({ id, aliases }) => [id, ...aliases]), ...retired.keys()];
  return new Map(
    names.flatMap((name) => {
      const model = find(name);
      return model ? [[name, pricedModel(model)] as const] : [];
    }),
  );
}

function pricedModel({ id, free, prices, priced }: Model): PricedModel {
  return { id, free, prices, priced };
}

/**
 * The catalog with the prices of another revision or period, and named after that: holds and receipts find the price by it.
 * Ids and aliases are those of that revision. Models that it does not have are left out; routes, limits and everything else are those of
 * the catalog.
 */
export function repriceCatalog(catalog: Catalog, revision: number, { list, ...period }: PricePeriod): Catalog {
  const models = catalog.models.flatMap((model): Model[] => {
    const then = list.get(model.id);
    return then?.id === model.id ? [{ ...model, ...then }] : [];
  });
  const byId = new Map(models.map((model) => [model.id, model]));
  return {
    ...catalog,
    ...period,
    revision,
    models,
    find: (name) => byId.get(list.get(name)?.id ?? ''),
  };
}
