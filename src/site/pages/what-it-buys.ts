// How much of a model NT$100 buys.

import { LISTED_UNITS, type Prices } from '../../kit/prices.ts';
import { compactCount } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import type { PricedModel } from './pricing-models.ts';

const BUDGET_NTD = 100;

/** By the one unit that it is priced by; of tokens, output before input. Empty if there is no such unit. */
export function whatItBuys(language: Language, { price, isFree }: PricedModel): string {
  const { pricing } = wordsOf(language);
  const says: Partial<Record<keyof Prices, (quantity: string) => string>> = {
    image: pricing.buysImages,
    second: pricing.buysSeconds,
    character: pricing.buysCharacters,
    search: pricing.buysSearches,
  };
  const isPriced = (name: keyof Prices) => price[name] !== undefined;
  const units = UNITS.filter(isPriced);
  const tokens = TOKENS.filter(isPriced);
  // Where an image costs its tokens, too, no one figure says how many.
  if (isFree || units.length > 1 || (units.length > 0 && tokens.length > 0)) return NONE;
  const [name] = [...units, ...tokens];
  const listed = name && price[name];
  if (!name || !listed) return NONE;
  const quantity = compactCount(language, Math.floor((BUDGET_NTD / listed) * Number(LISTED_UNITS[name])));
  return (says[name] ?? (name === 'output' ? pricing.buysTokens : pricing.buysInput))(quantity);
}

const UNITS = ['image', 'second', 'character', 'search'] as const;
const TOKENS = ['output', 'input'] as const;
const NONE = '';
