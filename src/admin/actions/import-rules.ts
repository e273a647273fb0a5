// Tiers, service tiers and tools of an imported price list, which only JSON can hold: amounts become NT$, the rest stays
// as it is for the check of the document to judge.

import { PRICE_NAMES } from '../../catalog/listed-prices.ts';
import { type Fields, fieldsOf, listOf } from '../../catalog/loose-fields.ts';
import { priceDecimals } from '../../catalog/price-shape.ts';
import { type ListRules, RULE_NAMES } from './prices.ts';

/** An amount of US$ as cost and sale price in NT$; undefined after it has reported what is wrong with it. */
export type ConvertAmount = (path: string, usd: string, decimals: number) => { cost: string; sale: string } | undefined;

interface ConvertedRules {
  cost: ListRules;
  sale: ListRules;
}

const AMOUNTS: ReadonlySet<string> = new Set(PRICE_NAMES);

/** Undefined if the entry has none. */
export function convertRules(path: string, entry: Fields, convert: ConvertAmount): ConvertedRules | undefined {
  if (RULE_NAMES.every((name) => entry[name] === undefined)) return undefined;
  const tiers = listOf(entry.tiers).map((tier, index) =>
    convertFields(`${path}.tiers[${index}]`, fieldsOf(tier), (name) => AMOUNTS.has(name), convert),
  );
  const tools = convertFields(`${path}.tools`, fieldsOf(entry.tools), () => true, convert);
  const rulesOf = (side: keyof ConvertedRules): ListRules => ({
    ...(entry.tiers === undefined ? {} : { tiers: tiers.map((tier) => tier[side]) }),
    ...(entry.service_tiers === undefined ? {} : { service_tiers: textsOf(fieldsOf(entry.service_tiers)) }),
    ...(entry.tools === undefined ? {} : { tools: tools[side] }),
  });
  return { cost: rulesOf('cost'), sale: rulesOf('sale') };
}

function convertFields(path: string, fields: Fields, isAmount: (name: string) => boolean, convert: ConvertAmount) {
  const converted: Record<keyof ConvertedRules, Record<string, string>> = { cost: {}, sale: {} };
  for (const [name, text] of Object.entries(textsOf(fields))) {
    const amount = isAmount(name) ? convert(`${path}.${name}`, text, priceDecimals(name)) : { cost: text, sale: text };
    if (!amount) continue;
    converted.cost[name] = amount.cost;
    // No sale is for 0.
    if (amount.sale !== '0') converted.sale[name] = amount.sale;
  }
  return converted;
}

function textsOf(fields: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value).trim()]));
}
