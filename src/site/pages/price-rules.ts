// Prices in words: rules beyond one price for each kind of token (tiers of the input, service tiers, tools), and the later
// dates of the list, at which prices change and models retire.

import type { ScheduledPrice } from '../../catalog/catalog.ts';
import { PRICE_ORDER, UNIT_NAMES } from '../../catalog/listed-prices.ts';
import type { Retirement } from '../../catalog/schedule.ts';
import { ntdNumber } from '../../kit/money.ts';
import type { InputTier, PriceRules, Prices } from '../../kit/prices.ts';
import { taipeiMoment } from '../../kit/taipei.ts';
import { count, listPrice, priceNumber, sentences } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';

/** The price list in a sentence or two, with the fees beside those of tokens. */
export function pricingLead(
  language: Language,
  { models, tax }: { models: readonly { rules?: PriceRules | undefined }[]; tax: number },
): string {
  const { pricing } = wordsOf(language);
  const hasToolFees = models.some(({ rules }) => rules !== undefined && rules.tools.size > 0);
  const taxed = tax > 0 ? pricing.taxed(tax) : '';
  return sentences(pricing.lead, taxed, hasToolFees ? pricing.toolFees : pricing.noOtherFees);
}

/** `isListed`: whether the model has this price. Empty for a list without rules. */
export function ruleTexts(
  language: Language,
  rules: PriceRules | undefined,
  isListed: (name: keyof Prices) => boolean,
): string[] {
  if (!rules) return [];
  const { pricing } = wordsOf(language);
  const tiers = rules.tiers.map((tier) =>
    pricing.tier(tierName(language, tier), priceTexts(language, tier.prices, isListed).join(pricing.comma)),
  );
  return [...tiers, ...factorTexts(language, rules)];
}

/** Each listed price with its name. */
export function priceTexts(
  language: Language,
  prices: Readonly<Partial<Prices>>,
  isListed: (name: keyof Prices) => boolean,
): string[] {
  const { pricing } = wordsOf(language);
  return PRICE_ORDER.filter(isListed).map((name) => `${pricing[name]} ${amountText(name, prices[name])}`);
}

/** Only the service tiers and the tools. */
export function factorTexts(language: Language, { serviceTiers, tools }: PriceRules): string[] {
  const { pricing } = wordsOf(language);
  const factors = [...serviceTiers].map(([name, factor]) => `${name} × ${priceNumber(Number(factor) / 1_000)}`);
  const fees = [...tools].map(([tool, price]) => pricing.toolFee(tool, `NT$${priceNumber(ntdNumber(price))}`));
  return [...(factors.length === 0 ? [] : [pricing.serviceTiers(factors.join(pricing.comma))]), ...fees];
}

export function tierName(language: Language, { inputTokens, isInclusive }: InputTier): string {
  const { pricing } = wordsOf(language);
  return isInclusive ? pricing.fromInput(count(inputTokens)) : pricing.aboveInput(count(inputTokens));
}

export function amountText(name: keyof Prices, price: bigint | undefined): string {
  return price === undefined ? '–' : `NT$${priceNumber(listPrice(name, price))}`;
}

/** The units of the prices in a list. */
export function priceCaption(language: Language, names: readonly (keyof Prices)[]): string {
  const { pricing } = wordsOf(language);
  const units = names.filter((name) => UNIT_NAMES.some((unit) => unit === name));
  if (units.length === 0) return pricing.caption;
  return units.length === names.length ? pricing.captionOfUnits : pricing.captionOfBoth;
}

export function retirementText(language: Language, { at, successor }: Retirement): string {
  const { pricing } = wordsOf(language);
  const date = taipeiMoment(at);
  return successor === undefined ? pricing.retires(date) : pricing.retiresFor(date, successor);
}

/** The whole list from then on, in a line. */
export function laterText(language: Language, later: ScheduledPrice): string {
  const { pricing } = wordsOf(language);
  const { at, prices, priced } = later;
  const isListed = (name: keyof Prices) => priced.has(name);
  const texts = [...priceTexts(language, prices, isListed), ...ruleTexts(language, prices.rules, isListed)];
  return pricing.tier(pricing.from(taipeiMoment(at)), texts.join(pricing.comma));
}
