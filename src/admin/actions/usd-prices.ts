// A vendor's prices in US$ as prices of the document in NT$: what the route costs, and what customers pay with the mark-up.
// Rounded up to the decimals of a price, without floats, so that the mark-up is never undercut.

import { PRICE_NAMES } from '../../catalog/listed-prices.ts';
import { type Fields, fieldsOf, listOf } from '../../catalog/loose-fields.ts';
import { priceDecimals } from '../../catalog/price-shape.ts';
import { assert } from '../../kit/assert.ts';
import { formatNtd, NANO_PER_NTD, type Nano, parseNtd } from '../../kit/money.ts';
import type { KnownModel } from '../../vendors/known-models.ts';
import { type ListRules, RULE_NAMES } from './prices.ts';
import { invalid } from './refused.ts';

/** Amounts of US$ by the name of the price, and a vendor's tiers and changes of them. */
export interface UsdList {
  prices: Readonly<Record<string, string>>;
  tiers?: readonly Readonly<Record<string, string | number>>[];
  changes?: readonly Readonly<Record<string, string | number>>[];
}

export interface Conversion {
  /** NT$ for one US$. */
  rate: Nano;
  /** In percent. */
  markup: Nano;
}

type Side = 'cost' | 'sale';

/** Refused: invalid. */
export function readConversion(rate: string, markup: string): Conversion {
  return { rate: readFactor('rate', rate), markup: readFactor('markup', markup, { mayBeZero: true }) };
}

function readFactor(field: string, text: string, { mayBeZero = false } = {}): Nano {
  const factor = parseNtd(text.trim());
  if (factor === undefined || factor < 0n || (factor === 0n && !mayBeZero)) {
    throw invalid(field, `must be a plain decimal number${mayBeZero ? '' : ' above 0'}: ${text}`);
  }
  return factor;
}

const HUNDRED = 100n * NANO_PER_NTD;

/** One price in US$, in NT$ with so many decimals. */
export function convertPrice(usd: Nano, decimals: number, { rate, markup }: Conversion) {
  const divisor = NANO_PER_NTD * HUNDRED;
  return {
    cost: roundUp(usd * rate * HUNDRED, divisor, decimals),
    sale: roundUp(usd * rate * (HUNDRED + markup), divisor, decimals),
  };
}

function roundUp(numerator: bigint, denominator: bigint, decimals: number): string {
  const step = NANO_PER_NTD / 10n ** BigInt(decimals);
  const divisor = denominator * step;
  return formatNtd(((numerator + divisor - 1n) / divisor) * step);
}

export function knownUsd({ usd }: KnownModel): UsdList {
  if (usd === 'free') return { prices: { input: '0' } };
  const { tiers, changes, ...prices } = usd;
  return {
    prices: Object.fromEntries(Object.entries(prices).map(([name, usd]) => [name, String(usd)])),
    ...(tiers && { tiers: tiers.map((tier) => ({ ...tier })) }),
    ...(changes && { changes: changes.map((change) => ({ ...change })) }),
  };
}

/** `sale` is undefined if everything costs 0. A cost has no changes: it is edited when they come. Refused: invalid. */
export function convertUsd(list: UsdList, conversion: Conversion) {
  assert(Object.keys(list.prices).length > 0, 'a list has a price');
  const price = (side: Side) => (name: string, usd: string) =>
    Number(convertPrice(readUsd(name, usd), priceDecimals(name), conversion)[side]);
  const [cost, sale] = [price('cost'), price('sale')];
  const isFree = Object.entries(list.prices).every(([name, usd]) => readUsd(name, usd) === 0n);
  const { tiers = [], changes = [] } = list;
  const withTiers = (convert: ReturnType<typeof price>) => ({
    ...convertAll(list.prices, convert),
    ...(tiers.length > 0 && { tiers: tiers.map((tier) => convertAll(tier, convert)) }),
  });
  return {
    cost: withTiers(cost),
    sale: isFree
      ? undefined
      : {
          ...withTiers(sale),
          ...(changes.length > 0 && { changes: changes.map((change) => convertAll(change, sale)) }),
        },
  };
}

/** An invalid amount must not make a model free. */
function readUsd(name: string, usd: string): Nano {
  const amount = parseNtd(usd);
  if (amount === undefined || amount < 0n) throw invalid(name, `must be a plain decimal number of US$: ${usd}`);
  return amount;
}

/** Fields that are no amounts. */
const BOUNDS: ReadonlySet<string> = new Set(['above_input_tokens', 'from_input_tokens', 'effective_at']);

function convertAll(list: Readonly<Record<string, string | number>>, convert: (name: string, usd: string) => number) {
  return Object.fromEntries(
    Object.entries(list).map(([name, value]) => [name, BOUNDS.has(name) ? value : convert(name, String(value))]),
  );
}

/** An amount of US$ as cost and sale price in NT$; undefined after it has reported what is wrong with it. */
export type ConvertAmount = (path: string, usd: string, decimals: number) => Record<Side, string> | undefined;

const AMOUNTS: ReadonlySet<string> = new Set(PRICE_NAMES);

/** Undefined if the entry has none. */
export function convertRules(path: string, entry: Fields, convert: ConvertAmount) {
  if (RULE_NAMES.every((name) => entry[name] === undefined)) return undefined;
  const tiers = listOf(entry.tiers).map((tier, index) =>
    convertFields(`${path}.tiers[${index}]`, fieldsOf(tier), (name) => AMOUNTS.has(name), convert),
  );
  const tools = convertFields(`${path}.tools`, fieldsOf(entry.tools), () => true, convert);
  const rulesOf = (side: Side): ListRules => ({
    ...(entry.tiers === undefined ? {} : { tiers: tiers.map((tier) => tier[side]) }),
    ...(entry.service_tiers === undefined ? {} : { service_tiers: textsOf(fieldsOf(entry.service_tiers)) }),
    ...(entry.tools === undefined ? {} : { tools: tools[side] }),
  });
  return { cost: rulesOf('cost'), sale: rulesOf('sale') };
}

function convertFields(path: string, fields: Fields, isAmount: (name: string) => boolean, convert: ConvertAmount) {
  const converted: Record<Side, Record<string, string>> = { cost: {}, sale: {} };
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
