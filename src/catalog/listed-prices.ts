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
] as const;
export type PriceName = (typeof PRICE_NAMES)[number];

/** What the document calls each price. */
export const DOCUMENT_NAMES: Readonly<Record<keyof Prices, PriceName>> = {
  input: 'input',
  cachedInput: 'cached_input',
  cacheWrite5m: 'cache_write_5m',
  cacheWrite1h: 'cache_write_1h',
  output: 'output',
  image: 'image',
  second: 'second',
  character: 'character',
};

/** In the order of price lists. */
export const PRICE_ORDER = Object.keys(DOCUMENT_NAMES) as readonly (keyof Prices)[];

/** Prices that are set, but that no endpoint is charged by yet. */
export const UNCHARGED_PRICES = ['second', 'character'] as const satisfies readonly (keyof Prices & PriceName)[];

export type Amounts = Exclude<DocumentModel['price'], 'free'>;

/** True if only images have a price: tokens are then not charged. */
export function isPerImage(list: { readonly [name in PriceName]?: unknown }): boolean {
  return list.image !== undefined && PRICE_NAMES.every((name) => name === 'image' || list[name] === undefined);
}

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
