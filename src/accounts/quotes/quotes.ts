// Everything that quotes need, put together once for the gateway.

import type { Catalog } from '../../catalog/catalog.ts';
import type { Clock } from '../../kit/clock.ts';
import { createHasher, createHashing } from '../../kit/sealed.ts';
import type { Store } from '../../store/store.ts';
import type { PriceListAt } from '../prices-at.ts';
import { type CatalogAt, createCatalogAt } from './catalog-at.ts';
import { createHashRequest, type HashRequest } from './hash-request.ts';
import { createLikelyOutput, type LikelyOutput } from './likely-output.ts';
import { createQuoteIds, type QuoteIds } from './quote-ids.ts';

export interface Quotes {
  ids: QuoteIds;
  hashRequest: HashRequest;
  catalogAt: CatalogAt;
  likelyOutput: LikelyOutput;
}

interface QuoteTools {
  store: Pick<Store, 'read'>;
  clock: Clock;
  catalog(): Catalog;
  priceListAt: PriceListAt;
  pepper: string;
  /** Yields to other requests. */
  pause(): Promise<void>;
}

export function createQuotes(tools: QuoteTools): Quotes {
  const { pepper, pause } = tools;
  return {
    ids: createQuoteIds(createHasher(pepper, 'quote')),
    hashRequest: createHashRequest(createHashing(pepper, 'quote'), pause),
    catalogAt: createCatalogAt(tools),
    likelyOutput: createLikelyOutput(tools),
  };
}
