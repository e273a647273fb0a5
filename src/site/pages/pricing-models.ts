// The catalog as the pricing page shows it: which models, and in what order, from its address.

import { type Catalog, type Model, tokenBounds } from '../../catalog/catalog.ts';
import { MODEL_FEATURES } from '../../catalog/document.ts';
import { PRICE_ORDER } from '../../catalog/listed-prices.ts';
import { LISTED_UNITS, type ListPrices, type Prices } from '../../kit/prices.ts';
import { MODEL_KINDS, type ModelKind } from '../../vendors/endpoints.ts';
import { compactCount, listPrice, plain } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import type { SiteTools } from '../tools.ts';

export const PRICING_KINDS = MODEL_KINDS;
export const CACHE_PRICES: readonly (keyof Prices)[] = ['cachedInput', 'cacheWrite5m', 'cacheWrite1h'];
export const PRICING_SORTS = ['name', 'input', 'output', 'context'] as const;

export type PricingSort = (typeof PRICING_SORTS)[number];

export type PricedModel = ReturnType<typeof pricedModel>;
export type PricingQuery = ReturnType<typeof readPricingQuery>;

export function readPricingQuery(params: URLSearchParams) {
  return {
    text: (params.get('q') ?? '').slice(0, 100),
    kind: PRICING_KINDS.find((kind) => kind === params.get('kind')),
    feature: MODEL_FEATURES.find((feature) => feature === params.get('feature')),
    sort: PRICING_SORTS.find((sort) => sort === params.get('sort')) ?? 'name',
    /** The other way round: prices fall, names run from Z to A. */
    isReversed: params.get('order') === 'reverse',
  };
}

/** Free models stand first, whatever the order. */
export function selectModels(
  models: readonly PricedModel[],
  { text, kind, feature, sort, isReversed }: PricingQuery,
): PricedModel[] {
  const wanted = plain(text).split(/\s+/);
  const direction = isReversed ? -1 : 1;
  const byName = (a: PricedModel, b: PricedModel) => a.name.localeCompare(b.name, 'en');
  const key = (model: PricedModel): number => {
    if (sort === 'context') return -(model.contextTokens ?? 0);
    return sort === 'name' ? 0 : (model.price[sort] ?? Number.MAX_VALUE);
  };
  return models
    .filter(({ kinds }) => kind === undefined || kinds.includes(kind))
    .filter(({ features }) => feature === undefined || features.includes(feature))
    .filter((model) => wanted.every((word) => searchedText(model).includes(word)))
    .toSorted((a, b) => Number(b.isFree) - Number(a.isFree) || direction * (key(a) - key(b) || byName(a, b)));
}

/** The searched text, as `plain` writes it. */
export function searchedText({ id, name, aliases, features }: PricedModel): string {
  return plain([id, name, ...aliases, ...features].join('\n'));
}

/** The columns of the list: those that a model of it has a price in. */
export function priceColumns(models: readonly PricedModel[]): (keyof Prices)[] {
  return PRICE_ORDER.filter((name) => models.some(({ price }) => price[name] !== undefined));
}

/** `revision` is the last one that changed a price, and since when; the one in force where that is not known. */
export async function pricingFacts({ catalog, priceHistory }: SiteTools) {
  const active = catalog();
  const { models, revision, updatedAt, limits, issuer } = active;
  const { changes, upTo } = await priceHistory();
  const newest = upTo < revision ? undefined : changes[0];
  const inEffect = newest ?? { revision, since: updatedAt };
  return {
    models: models.map((model) => pricedModel(model, active)),
    revision: inEffect.revision,
    since: inEffect.since,
    limits,
    tax: issuer.tax,
    history: changes,
  };
}

/** The prices that a model has, in the order of the list. */
export function listedPrices({ price }: PricedModel): (keyof Prices)[] {
  return PRICE_ORDER.filter((name) => price[name] !== undefined);
}

export function pricedModel(model: Model, catalog: Catalog) {
  const { id, name, aliases, kinds, features, free: isFree, priced, prices, laterPrices, retirement } = model;
  /** Null of a model of images or audio, which has none unless its operator states one. */
  const contextTokens = hasContext(model) ? tokenBounds(model, catalog).input : null;
  const lists = [prices, ...laterPrices.map((later) => later.prices)];
  const isListed = (one: keyof Prices) =>
    priced.has(one) && !(CACHE_PRICES.includes(one) && lists.every(isAsInput(one)));
  const listed = PRICE_ORDER.filter(isListed).map((one) => [one, listPrice(one, prices[one])]);
  /** NT$ for the unit of the list; none where it does not apply. */
  const price: Readonly<Partial<Record<keyof Prices, number>>> = Object.fromEntries(listed);
  const dated = { laterPrices, retirement };
  return { id, name, aliases, kinds, features, contextTokens, isFree, price, rules: prices.rules, ...dated };
}

/** Cache tokens without a price of their own cost what input costs: the list shows no such price twice. */
function isAsInput(name: keyof Prices): (list: ListPrices) => boolean {
  return ({ rules, ...prices }) =>
    [prices, ...(rules?.tiers ?? []).map((tier) => tier.prices)].every((list) => list[name] === list.input);
}

function hasContext({ kinds, isContextStated }: Model): boolean {
  return isContextStated || kinds.some((kind) => !WITHOUT_CONTEXT.has(kind));
}

const WITHOUT_CONTEXT: ReadonlySet<ModelKind> = new Set(['images', 'speech', 'transcription']);

const BUDGET_NTD = 100;
const UNITS = ['image', 'second', 'character', 'search'] as const;
const TOKENS = ['output', 'input'] as const;

/** How much of a model NT$100 buys, by the one unit that it is priced by; of tokens, output before input. Empty if there is no such unit. */
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
  if (isFree || units.length > 1 || (units.length > 0 && tokens.length > 0)) return '';
  const [name] = [...units, ...tokens];
  const listed = name && price[name];
  if (!name || !listed) return '';
  const quantity = compactCount(language, Math.floor((BUDGET_NTD / listed) * Number(LISTED_UNITS[name])));
  return (says[name] ?? (name === 'output' ? pricing.buysTokens : pricing.buysInput))(quantity);
}
