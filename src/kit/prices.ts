// Prices in nano-NT$: of a token of each bucket, of an image, of a second of audio, of a character of text, of a search,
// of a call of an upstream's tool. Integers, because catalog prices have few decimals.

import type { Nano } from './money.ts';

const THOUSAND = 1_000n;
const MILLION = 1_000_000n;

/** Everything that has a price, and how many units a price in a list is for. */
export const LISTED_UNITS = {
  input: MILLION,
  cachedInput: MILLION,
  cacheWrite5m: MILLION,
  cacheWrite1h: MILLION,
  output: MILLION,
  image: 1n,
  second: 1n,
  character: MILLION,
  search: THOUSAND,
} as const;

export type Prices = Record<keyof typeof LISTED_UNITS, Nano>;

/** The prices of a model or a route. Without rules, they apply to every request. */
export interface ListPrices extends Prices {
  rules?: PriceRules | undefined;
}

export interface PriceRules {
  /** In ascending order. The last one that the input reaches replaces every price. */
  tiers: readonly InputTier[];
  /** By name: the factor of every price but those of tools, in thousandths. */
  serviceTiers: ReadonlyMap<string, bigint>;
  /** By name: the price of one call. */
  tools: ReadonlyMap<string, Nano>;
}

export interface InputTier {
  inputTokens: number;
  /** The tier begins at `inputTokens` itself; otherwise above it. */
  isInclusive: boolean;
  prices: Prices;
}

/** Calls by the name of the tool. */
export type ToolCalls = Readonly<Record<string, number>>;

/** Facts besides the tokens that decide the charge of a request. */
export interface ChargedTerms {
  /** Null for the standard one. */
  serviceTier: string | null;
  /** Null for none. */
  toolCalls: ToolCalls | null;
  /** The moment whose prices apply; null: the time of its admission. */
  pricedAt: number | null;
}

/** The same with optional members instead of null. */
export type OptionalTerms = { [Term in keyof ChargedTerms]?: ChargedTerms[Term] | undefined };

export function addCalls(one: ToolCalls | undefined, other: ToolCalls | undefined): ToolCalls | undefined {
  if (!one || !other) return one ?? other;
  const sum: Record<string, number> = { ...one };
  for (const [tool, count] of Object.entries(other)) sum[tool] = (sum[tool] ?? 0) + count;
  return sum;
}

export const FREE: Prices = eachPrice(() => 0n);

/** The factor of the standard service tier. */
const ONE = 1_000n;

/** The fewest input tokens of a tier. */
export function leastInput({ inputTokens, isInclusive }: Omit<InputTier, 'prices'>): number {
  return isInclusive ? inputTokens : inputTokens + 1;
}

/** The tier of a request with so much input in all; undefined for the prices of the list itself. */
export function tierFor({ rules }: ListPrices, inputTokens: number): InputTier | undefined {
  return rules?.tiers.findLast((tier) => inputTokens >= leastInput(tier));
}

/** The prices of a request with so much input in all. A service tier that is not listed has the standard prices. */
export function pricesFor(list: ListPrices, inputTokens: number, serviceTier: string | null): Prices {
  const { rules } = list;
  if (!rules) return list;
  const prices = tierFor(list, inputTokens)?.prices ?? list;
  return multiply(prices, factorOf(rules, serviceTier));
}

/** The highest that each price can be for a request that names this service tier and has at most so much input. */
export function highestPrices(list: ListPrices, inputTokens: number, serviceTier: string | undefined): Prices {
  const { rules } = list;
  if (!rules) return list;
  let prices: Prices = list;
  for (const tier of rules.tiers) if (inputTokens >= leastInput(tier)) prices = higherPrices(prices, tier.prices);
  const factor = factorOf(rules, serviceTier ?? null);
  return multiply(prices, factor > ONE ? factor : ONE);
}

/** Words of vendors for their standard tier, and for leaving the choice to them. */
export const STANDARD_TIERS: ReadonlySet<string> = new Set([
  'default',
  'standard',
  'auto',
  'standard_only',
  'on_demand',
]);

/** The tier that a request named, and the tier that the upstream reported. */
export interface ServiceTiers {
  sent: string | undefined;
  reported: string | undefined;
}

/** The tier that served: as reported if the list has it, otherwise as named. Null: the standard one. */
export function servedTier({ rules }: ListPrices, { sent, reported }: ServiceTiers): string | null {
  if (!rules) return null;
  if (reported !== undefined && STANDARD_TIERS.has(reported)) return null;
  for (const tier of [reported, sent]) if (tier !== undefined && rules.serviceTiers.has(tier)) return tier;
  return null;
}

/** The tier that is charged: the one that served, but none that costs more than both the named and the standard one. */
export function chargedTier(list: ListPrices, tiers: ServiceTiers): string | null {
  const { rules } = list;
  const served = servedTier(list, tiers);
  if (!rules || served === null) return null;
  const named = servedTier(list, { sent: tiers.sent, reported: undefined });
  const most = factorOf(rules, named) > ONE ? named : null;
  return factorOf(rules, served) > factorOf(rules, most) ? most : served;
}

function factorOf({ serviceTiers }: PriceRules, serviceTier: string | null): bigint {
  return (serviceTier === null ? undefined : serviceTiers.get(serviceTier)) ?? ONE;
}

function multiply(prices: Prices, factor: bigint): Prices {
  return factor === ONE ? prices : eachPrice((name) => (prices[name] * factor + ONE - 1n) / ONE);
}

export function higherPrices(one: Prices, other: Prices): Prices {
  return eachPrice((name) => (other[name] > one[name] ? other[name] : one[name]));
}

function eachPrice(find: (name: keyof Prices) => Nano): Prices {
  return {
    input: find('input'),
    cachedInput: find('cachedInput'),
    cacheWrite5m: find('cacheWrite5m'),
    cacheWrite1h: find('cacheWrite1h'),
    output: find('output'),
    image: find('image'),
    second: find('second'),
    character: find('character'),
    search: find('search'),
  };
}
