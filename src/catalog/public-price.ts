// The price of a model as everyone sees it: in NT$, per 1M tokens, per image, per second, per 1M characters, per 1,000
// searches or per call of a tool.

import { z } from 'zod';
import { ntdNumber } from '../kit/money.ts';
import { type InputTier, LISTED_UNITS, type Prices } from '../kit/prices.ts';
import { count, each, number, time } from '../kit/shapes.ts';
import { PRICED_TOOLS } from '../vendors/tools.ts';
import type { Model } from './catalog.ts';
import { DOCUMENT_NAMES, PRICE_NAMES, PRICE_ORDER, type PriceName, RARE_PRICES } from './listed-prices.ts';

const price = number.min(0);
const prices = { ...each(price.nullable(), ...PRICE_NAMES), ...each(price.optional(), ...RARE_PRICES) };

const listShape = {
  ...prices,
  tiers: z
    .array(z.object({ above_input_tokens: count.optional(), from_input_tokens: count.optional(), ...prices }))
    .optional()
    .describe(
      'Prices of requests with more input in all than `above_input_tokens`, or at least `from_input_tokens`: the last tier that is reached applies to the whole request.',
    ),
  service_tiers: z
    .record(z.string(), number)
    .optional()
    .describe('Factors of all prices but those of tools, by service tier.'),
  tools: z
    .object(each(number.min(0).optional(), ...PRICED_TOOLS))
    .optional()
    .describe('NT$ for each call of a tool that the upstream runs.'),
};

export const publicPriceShape = z
  .object({
    ...listShape,
    changes: z
      .array(z.object({ effective_at: time, ...listShape }))
      .optional()
      .describe('Later prices, whole: a call that is admitted at `effective_at` or later has them.'),
  })
  .describe(
    'After fallback; 0 if free, null where it does not apply. `image` is per image. `second` (per second), `character` (per 1M characters) and `search` (per 1,000 searches) are left out where they do not apply.',
  );

type PublicPrice = z.output<typeof publicPriceShape>;

export function publicPrice({ laterPrices, ...now }: Pick<Model, 'prices' | 'priced' | 'laterPrices'>): PublicPrice {
  if (laterPrices.length === 0) return publicList(now);
  const changes = laterPrices.map(({ at, ...later }) => ({
    effective_at: new Date(at).toISOString(),
    ...publicList(later),
  }));
  return { ...publicList(now), changes };
}

function publicList({ prices: list, priced }: Pick<Model, 'prices' | 'priced'>): Omit<PublicPrice, 'changes'> {
  const { rules } = list;
  const flat = publicPrices(list, priced);
  if (!rules) return flat;
  const { tiers, serviceTiers, tools } = rules;
  return {
    ...flat,
    ...(tiers.length > 0 && {
      tiers: tiers.map((tier) => ({ ...publicTier(tier), ...publicPrices(tier.prices, priced) })),
    }),
    ...(serviceTiers.size > 0 && { service_tiers: mapValues(serviceTiers, (factor) => Number(factor) / 1_000) }),
    ...(tools.size > 0 && { tools: mapValues(tools, ntdNumber) }),
  };
}

/** Where a tier begins, as the document writes it. */
export function publicTier({ inputTokens, isInclusive }: InputTier) {
  return isInclusive ? { from_input_tokens: inputTokens } : { above_input_tokens: inputTokens };
}

function publicPrices(list: Prices, priced: Model['priced']) {
  const isShown = (name: keyof Prices) => priced.has(name) || !IS_RARE.has(name);
  const amountOf = (name: keyof Prices) => (priced.has(name) ? ntdNumber(list[name] * LISTED_UNITS[name]) : null);
  const shown = PRICE_ORDER.filter(isShown).map((name) => [DOCUMENT_NAMES[name], amountOf(name)]);
  return Object.fromEntries(shown) as Pick<PublicPrice, PriceName>;
}

const IS_RARE: ReadonlySet<keyof Prices> = new Set(RARE_PRICES);

function mapValues(values: ReadonlyMap<string, bigint>, show: (value: bigint) => number): Record<string, number> {
  return Object.fromEntries([...values].map(([name, value]) => [name, show(value)]));
}
