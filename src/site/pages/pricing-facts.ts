// The catalog as the pricing page shows it.

import type { Model } from '../../catalog/catalog.ts';
import { ntdNumber } from '../../kit/money.ts';
import type { Prices } from '../../kit/prices.ts';
import type { SiteTools } from '../tools.ts';
import type { PricingFacts } from './pricing.tsx';
import type { PricedModel } from './pricing-query.ts';

export async function pricingFacts({ catalog, priceHistory }: SiteTools): Promise<PricingFacts> {
  const { models, revision, updatedAt, limits } = catalog();
  return { models: models.map(pricedModel), revision, since: updatedAt, limits, history: await priceHistory() };
}

const PER_MILLION = 1_000_000n;

function pricedModel(model: Model): PricedModel {
  const perMillion = (name: keyof Prices) =>
    model.priced.has(name) ? ntdNumber(model.prices[name] * PER_MILLION) : null;
  return {
    id: model.id,
    name: model.name,
    aliases: model.aliases,
    kinds: model.kinds,
    contextTokens: model.contextTokens,
    isFree: model.free,
    price: {
      input: perMillion('input'),
      cached: perMillion('cachedInput'),
      write5m: perMillion('cacheWrite5m'),
      write1h: perMillion('cacheWrite1h'),
      output: perMillion('output'),
      image: model.priced.has('image') ? ntdNumber(model.prices.image) : null,
    },
  };
}
