// A table of prices as the document has it, for sale or as cost, and what applies where it lists nothing.

import type { DocumentModel } from './document.ts';

export const PRICE_NAMES = ['input', 'cached_input', 'cache_write_5m', 'cache_write_1h', 'output', 'image'] as const;
export type PriceName = (typeof PRICE_NAMES)[number];

export type Amounts = Exclude<DocumentModel['price'], 'free'>;

/** Nothing but images is listed: tokens then say nothing. */
export function isPerImage(list: { readonly [name in PriceName]?: unknown }): boolean {
  return list.image !== undefined && PRICE_NAMES.every((name) => name === 'image' || list[name] === undefined);
}

/** Tokens of a cache that are not listed cost as input does; nothing else has a fallback. */
export function priceOf<Price>(
  list: { readonly [name in PriceName]?: Price | undefined },
  name: PriceName,
): Price | undefined {
  return list[name] ?? (name.startsWith('cache') ? list.input : undefined);
}
