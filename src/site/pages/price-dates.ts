// Texts for later dates in the price list: prices that change, and models that retire.

import type { ScheduledPrice } from '../../catalog/catalog.ts';
import { PRICE_ORDER } from '../../catalog/listed-prices.ts';
import type { Retirement } from '../../catalog/schedule.ts';
import { taipeiMoment } from '../../kit/taipei.ts';
import { type Language, wordsOf } from '../language.ts';
import { amountText, ruleTexts } from './price-rules.ts';

export function retirementText(language: Language, { at, successor }: Retirement): string {
  const { pricing } = wordsOf(language);
  const date = taipeiMoment(at);
  return successor === undefined ? pricing.retires(date) : pricing.retiresFor(date, successor);
}

/** The whole list from then on, in a line. */
export function laterText(language: Language, later: ScheduledPrice): string {
  const { pricing } = wordsOf(language);
  const { at, prices, priced } = later;
  const listed = PRICE_ORDER.filter((name) => priced.has(name));
  const texts = listed.map((name) => `${pricing[name]} ${amountText(name, prices[name])}`);
  const rules = ruleTexts(language, prices.rules, (name) => priced.has(name));
  return pricing.tier(pricing.from(taipeiMoment(at)), [...texts, ...rules].join(pricing.comma));
}
