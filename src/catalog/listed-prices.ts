// A price table of the document, for sale or as cost, and the fallbacks for missing entries.

import type { Prices } from '../kit/prices.ts';
import type { DocumentModel } from './document.ts';

export const PRICE_NAMES = [
  'input',
  'cached_input',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'image',
  'second',
  'character',
  'search',
] as const;
export type PriceName = (typeof PRICE_NAMES)[number];

/** The document's name for each price. */
export const DOCUMENT_NAMES: Readonly<Record<keyof Prices, PriceName>> = {
  input: 'input',
  cachedInput: 'cached_input',
  cacheWrite5m: 'cache_write_5m',
  cacheWrite1h: 'cache_write_1h',
  output: 'output',
  image: 'image',
  second: 'second',
  character: 'character',
  search: 'search',
};

/** In the order of price lists. */
export const PRICE_ORDER = Object.keys(DOCUMENT_NAMES) as readonly (keyof Prices)[];

/** Prices that few kinds of models are charged by: a public list leaves them out where they do not apply. */
export const RARE_PRICES = ['second', 'character', 'search'] as const satisfies readonly (keyof Prices & PriceName)[];

export type Amounts = Exclude<DocumentModel['price'], 'free'>;

/** True if only images, seconds, characters or searches have a price: tokens are then not charged. */
export function hasNoTokenPrice(list: { readonly [name in PriceName]?: unknown }): boolean {
  const set = PRICE_NAMES.filter((name) => list[name] !== undefined);
  return set.length > 0 && set.every((name) => UNIT_PRICES.has(name));
}

/** Prices that are not of tokens. */
export const UNIT_NAMES = ['image', ...RARE_PRICES] as const satisfies readonly PriceName[];
export type UnitName = (typeof UNIT_NAMES)[number];
const UNIT_PRICES: ReadonlySet<PriceName> = new Set(UNIT_NAMES);

/** True if the price of a token depends on the request, or calls of tools cost, too. */
export function hasRules({ tiers = [], service_tiers: factors = {}, tools = {} }: Amounts): boolean {
  return tiers.length + Object.keys(factors).length + Object.keys(tools).length > 0;
}

/** Cache tokens without a price cost as much as input; nothing else has a fallback. */
export function priceOf<Price>(
  list: { readonly [name in PriceName]?: Price | undefined },
  name: PriceName,
): Price | undefined {
  return list[name] ?? (name.startsWith('cache') ? list.input : undefined);
}
