// The catalog as the pricing page shows it.

import type { Catalog, Model } from '../../catalog/catalog.ts';
import { tokenBounds } from '../../catalog/token-bounds.ts';
import type { Prices } from '../../kit/prices.ts';
import type { SiteTools } from '../tools.ts';
import { listPrice } from './list-price.ts';
import type { PricingFacts } from './pricing.tsx';
import type { PricedModel } from './pricing-query.ts';

export async function pricingFacts({ catalog, priceHistory }: SiteTools): Promise<PricingFacts> {
  const active = catalog();
  const { models, revision, updatedAt, limits } = active;
  const { changes, upTo } = await priceHistory();
  const newest = upTo < revision ? undefined : changes[0];
  const inEffect = newest ?? { revision, since: updatedAt };
  return {
    models: models.map((model) => pricedModel(model, active)),
    revision: inEffect.revision,
    since: inEffect.since,
    limits,
    history: changes,
  };
}

function pricedModel(model: Model, catalog: Catalog): PricedModel {
  const price = (name: keyof Prices) => (model.priced.has(name) ? listPrice(name, model.prices[name]) : null);
  return {
    id: model.id,
    name: model.name,
    aliases: model.aliases,
    kinds: model.kinds,
    contextTokens: hasContext(model) ? tokenBounds(model, catalog).input : null,
    isFree: model.free,
    price: {
      input: price('input'),
      cached: price('cachedInput'),
      write5m: price('cacheWrite5m'),
      write1h: price('cacheWrite1h'),
      output: price('output'),
      image: price('image'),
    },
  };
}

function hasContext({ kinds, isContextStated }: Model): boolean {
  return isContextStated || kinds.some((kind) => kind !== 'images');
}
