// A price table of the document, for sale or as cost, the fallbacks for missing entries, and the prices of each kind of model.

import type { Prices } from '../kit/prices.ts';
import type { ModelKind } from '../vendors/endpoints.ts';
import type { DocumentModel } from './document.ts';

/** The document's name for each price. */
export const DOCUMENT_NAMES = {
  input: 'input',
  cachedInput: 'cached_input',
  cacheWrite5m: 'cache_write_5m',
  cacheWrite1h: 'cache_write_1h',
  output: 'output',
  image: 'image',
  second: 'second',
  character: 'character',
  search: 'search',
} as const satisfies Record<keyof Prices, string>;
export type PriceName = (typeof DOCUMENT_NAMES)[keyof Prices];
export const PRICE_NAMES: readonly PriceName[] = Object.values(DOCUMENT_NAMES);

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

/** Prices that models of a kind always have. */
export const USUAL_PRICES: Record<ModelKind, readonly (keyof Prices)[]> = {
  chat: ['input', 'cachedInput', 'cacheWrite5m', 'cacheWrite1h', 'output'],
  embeddings: ['input'],
  images: [],
  speech: [],
  transcription: [],
  rerank: [],
  moderation: ['input'],
};

/** Prices that usage of a kind can be charged: the price list shows those that the document sets. */
export const CHARGED_PRICES: Record<ModelKind, readonly (keyof Prices)[]> = {
  chat: USUAL_PRICES.chat,
  embeddings: ['input', 'cachedInput', 'cacheWrite5m', 'output'],
  images: ['input', 'output', 'image'],
  speech: ['input', 'output', 'character'],
  transcription: ['input', 'cachedInput', 'output', 'second'],
  rerank: ['input', 'search'],
  moderation: ['input'],
};

/** Prices that a free model shows as 0. */
export const FREE_PRICES: Record<ModelKind, readonly (keyof Prices)[]> = {
  ...USUAL_PRICES,
  images: ['image'],
  speech: ['character'],
  transcription: ['second'],
  rerank: ['search'],
};
