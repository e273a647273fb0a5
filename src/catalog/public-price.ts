// The price of a model as everyone sees it: in NT$, per 1M tokens, per image or per call of a tool.

import { z } from 'zod';
import { ntdNumber } from '../kit/money.ts';
import type { InputTier, Prices } from '../kit/prices.ts';
import { count, each, number } from '../kit/shapes.ts';
import { PRICED_TOOLS } from '../vendors/tools.ts';
import type { Model } from './catalog.ts';
import { PRICE_NAMES } from './listed-prices.ts';

const price = number.min(0).nullable();
const prices = each(price, ...PRICE_NAMES);

export const publicPriceShape = z
  .object({
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
  })
  .describe('After fallback; 0 if free, null where it does not apply. `image` is per image.');

type PublicPrice = z.output<typeof publicPriceShape>;

export function publicPrice({ prices: list, priced }: Pick<Model, 'prices' | 'priced'>): PublicPrice {
  const { rules } = list;
  const flat = publicPrices(list, priced);
  if (!rules) return flat;
  const { tiers, serviceTiers, tools } = rules;
  return {
    ...flat,
    ...(tiers.length > 0 && {
      tiers: tiers.map((tier) => ({ ...beginning(tier), ...publicPrices(tier.prices, priced) })),
    }),
    ...(serviceTiers.size > 0 && { service_tiers: mapValues(serviceTiers, (factor) => Number(factor) / 1_000) }),
    ...(tools.size > 0 && { tools: mapValues(tools, ntdNumber) }),
  };
}

/** As the document writes it. */
function beginning({ inputTokens, isInclusive }: InputTier) {
  return isInclusive ? { from_input_tokens: inputTokens } : { above_input_tokens: inputTokens };
}

function publicPrices(list: Prices, priced: Model['priced']) {
  const perMillion = (name: keyof Prices) => (priced.has(name) ? ntdNumber(list[name] * 1_000_000n) : null);
  return {
    input: perMillion('input'),
    cached_input: perMillion('cachedInput'),
    cache_write_5m: perMillion('cacheWrite5m'),
    cache_write_1h: perMillion('cacheWrite1h'),
    output: perMillion('output'),
    image: priced.has('image') ? ntdNumber(list.image) : null,
  };
}

function mapValues(values: ReadonlyMap<string, bigint>, show: (value: bigint) => number): Record<string, number> {
  return Object.fromEntries([...values].map(([name, value]) => [name, show(value)]));
}
