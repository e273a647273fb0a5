// Prices with their costs, and edits of both as a new revision.

import type { Document, DocumentModel } from '../../catalog/document.ts';
import { type Amounts, PRICE_NAMES, type PriceName, priceOf } from '../../catalog/listed-prices.ts';
import { type Fields, fieldsOf, listOf } from '../../catalog/loose-fields.ts';
import { readMoment } from '../../catalog/price-shape.ts';
import { priceAt } from '../../catalog/schedule.ts';
import { formatNtd, type Nano } from '../../kit/money.ts';
import { type ApplyOptions, applyChecked, checkDocument, currentDocument } from './documents.ts';
import { readNewest, readRaw, routesOf, writeRaw } from './newest.ts';
import { notFound } from './refused.ts';
import type { OperatingTools, ReadingTools } from './tools.ts';

/** Decimal NT$ as in the document; unset prices are missing. */
export type PriceList = Partial<Record<PriceName, string>>;

/** The members of a price list in the document that are not single prices, with numbers as texts. */
export interface ListRules {
  tiers?: readonly Readonly<Record<string, string>>[] | undefined;
  service_tiers?: Readonly<Record<string, string>> | undefined;
  tools?: Readonly<Record<string, string>> | undefined;
}

export const RULE_NAMES = ['tiers', 'service_tiers', 'tools'] as const;

export type PriceRow = ReturnType<typeof priceRow>;
export type RouteCost = PriceRow['routes'][number];

/** Replaces named prices; null removes one; others stay. So do rules: each of the three is replaced as a whole. */
type PriceChanges = { [name in PriceName]?: string | null | undefined } & { rules?: ListRules | undefined };

export interface PriceEdit {
  model: string;
  sale?: 'free' | PriceChanges | undefined;
  /** For routes to that channel, or all routes without a channel; `prices: null` removes the cost. */
  cost?: { channel?: string | undefined; prices: PriceChanges | null } | undefined;
}

export async function priceTable(tools: OperatingTools) {
  const { revision, document } = await readNewest(tools);
  const now = tools.clock.now();
  return { revision: revision.revision, rows: document.models.map((model) => priceRow(document, model, now)) };
}

function priceRow({ channels }: Document, model: DocumentModel, now: number) {
  const { id, name, kinds, routes } = model;
  const price = priceAt(model.price, now);
  return {
    model: id,
    name: name ?? id,
    kinds,
    sale: price === 'free' ? price : toPriceList(price),
    rules: price === 'free' ? undefined : toRules(price),
    /** Scheduled changes. */
    changes: price === 'free' ? [] : changesAfter(price, now),
    routes: routes.map((route) => ({
      channel: route.channel,
      /** The model's name at the upstream. */
      upstreamModel: route.model,
      enabled: channels.some((channel) => channel.name === route.channel && channel.enabled),
      priority: route.priority,
      weight: route.weight,
      cost: route.cost && toPriceList(route.cost),
      /** Rules of the cost; omitted ones are as in the sale price. */
      costRules: route.cost && toRules(route.cost),
      /** (sale − cost) / sale of each price that one side lists and both have, directly or through input. */
      margin: route.cost && price !== 'free' ? marginOf(price, route.cost) : undefined,
    })),
  };
}

function changesAfter({ changes = [] }: Amounts, now: number) {
  return changes
    .filter(({ effective_at: at }) => at > now)
    .map(({ effective_at: effectiveAt, ...list }) => ({ effectiveAt, sale: toPriceList(list), rules: toRules(list) }));
}

export function toPriceList(amounts: Pick<Amounts, PriceName>): PriceList {
  return pricesOf((name) => (amounts[name] === undefined ? undefined : formatNtd(amounts[name])));
}

function toRules({ tiers = [], service_tiers: factors = {}, tools = {} }: Amounts): ListRules | undefined {
  const rules: ListRules = {
    ...(tiers.length > 0 && { tiers: tiers.map(toTier) }),
    ...(Object.keys(factors).length > 0 && { service_tiers: texts(factors, factorText) }),
    ...(Object.keys(tools).length > 0 && { tools: texts(tools, formatNtd) }),
  };
  return Object.keys(rules).length === 0 ? undefined : rules;
}

function toTier(tier: NonNullable<Amounts['tiers']>[number]) {
  const { above_input_tokens: above, from_input_tokens: from } = tier;
  const beginning: Record<string, string> =
    from === undefined ? { above_input_tokens: String(above) } : { from_input_tokens: String(from) };
  return { ...beginning, ...toPriceList(tier) };
}

/** Thousandths as a decimal. */
function factorText(factor: bigint): string {
  return formatNtd(factor * 1_000_000n);
}

function texts(values: Readonly<Record<string, bigint | undefined>>, show: (value: bigint) => string) {
  const known = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, show(value)]]));
  return Object.fromEntries(known);
}

function marginOf(sale: Amounts, cost: Amounts): Partial<Record<PriceName, number>> {
  const isListed = (name: PriceName) => sale[name] !== undefined || cost[name] !== undefined;
  return pricesOf((name) => (isListed(name) ? shareOf(priceOf(sale, name), priceOf(cost, name)) : undefined));
}

/** To a hundredth of a percent. */
function shareOf(sale: Nano | undefined, cost: Nano | undefined): number | undefined {
  if (sale === undefined || cost === undefined || sale === 0n) return undefined;
  return Number(((sale - cost) * 10_000n) / sale) / 10_000;
}

function pricesOf<Value>(find: (name: PriceName) => Value | undefined): Partial<Record<PriceName, Value>> {
  const prices: Partial<Record<PriceName, Value>> = {};
  for (const name of PRICE_NAMES) {
    const value = find(name);
    if (value !== undefined) prices[name] = value;
  }
  return prices;
}

/**
 * The edited document, not applied: check it, show its diff, apply it. Refused: not_found for a model, or a route of
 * it.
 */
export async function editedDocument(tools: ReadingTools, edits: readonly PriceEdit[]) {
  const { revision, yaml } = await currentDocument(tools);
  const raw = readRaw(yaml);
  for (const edit of edits) {
    const index = raw.models.findIndex(({ id }) => id === edit.model);
    const model = raw.models[index];
    if (!model) throw notFound(`model ${edit.model}`);
    raw.models[index] = editModel(model, edit, tools.clock.now());
  }
  return { revision, yaml: writeRaw(raw) };
}

function editModel(model: Fields, { sale, cost }: PriceEdit, now: number): Fields {
  const price = sale === undefined ? model.price : sale === 'free' ? 'free' : editSale(model.price, sale, now);
  if (!cost) return { ...model, price };
  const known = routesOf(model);
  if (cost.channel !== undefined && !known.some(({ channel }) => channel === cost.channel)) {
    throw notFound(`route of ${model.id} to channel ${cost.channel}`);
  }
  const routes = known.map((route) => {
    if (cost.channel !== undefined && route.channel !== cost.channel) return route;
    const { cost: before, ...rest } = route;
    const after = cost.prices === null ? {} : editList(before, cost.prices);
    return Object.keys(after).length === 0 ? rest : { ...rest, cost: after };
  });
  return { ...model, price, routes };
}

/** Changes that have come are part of the price that is edited; later ones stay. */
function editSale(before: unknown, changes: PriceChanges, now: number): Fields {
  let list = fieldsOf(before);
  const later: Fields[] = [];
  for (const change of listOf(list.changes).map(fieldsOf)) {
    const { effective_at: moment, ...changed } = change;
    if ((readMoment(String(moment)) ?? 0) <= now) list = { ...list, ...changed };
    else later.push(change);
  }
  return { ...editList(list, changes), ...(later.length > 0 && { changes: later }) };
}

function editList(before: unknown, changes: PriceChanges): Fields {
  const list = fieldsOf(before);
  const kept = PRICE_NAMES.flatMap((name) => {
    const value = changes[name] === undefined ? list[name] : asNumber(changes[name]);
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  const rules = RULE_NAMES.flatMap((name) => {
    const value = changes.rules?.[name] === undefined ? list[name] : asNumbers(changes.rules[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries([...kept, ...rules]);
}

/** As a number if it is one; other text stays for the check to report. */
function asNumber(text: string | null): number | string | null {
  if (text === null) return null;
  const trimmed = text.trim();
  return /^\d{1,9}(\.\d{1,6})?$/.test(trimmed) ? Number(trimmed) : trimmed;
}

function asNumbers(value: unknown): unknown {
  if (typeof value === 'string') return asNumber(value);
  if (Array.isArray(value)) return value.map(asNumbers);
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, member]) => [name, asNumbers(member)]));
}

export async function checkPrices(tools: OperatingTools, edits: readonly PriceEdit[], baseRevision?: number) {
  return checkDocument(tools, (await editedDocument(tools, edits)).yaml, baseRevision);
}

export async function editPrices(tools: OperatingTools, edits: readonly PriceEdit[], options: ApplyOptions) {
  const { yaml } = await editedDocument(tools, edits);
  return applyChecked(tools, yaml, { ...options, action: 'prices.edit', detail: { edits } });
}
