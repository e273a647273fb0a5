// The active catalog: a valid document in the form the service uses, with prices in nano-NT$ and lookup by name.

import { FREE, type InputTier, LISTED_UNITS, type ListPrices, type PriceRules, type Prices } from '../kit/prices.ts';
import { BALANCE_CALLS } from '../vendors/balances.ts';
import { regionOf } from '../vendors/bedrock.ts';
import { endpointsFor, endpointsOf, type ModelKind } from '../vendors/endpoints.ts';
import { type Quirks, quirksOf } from '../vendors/quirks.ts';
import {
  DEFAULT_CONTEXT_TOKENS,
  type Document,
  type DocumentChannel,
  type DocumentModel,
  FREE_MODEL,
  MODEL_FEATURES,
} from './document.ts';
import {
  type Amounts,
  CHARGED_PRICES,
  DOCUMENT_NAMES,
  FREE_PRICES,
  PRICE_ORDER,
  priceOf,
  USUAL_PRICES,
} from './listed-prices.ts';
import { beginningOf } from './price-shape.ts';
import {
  type ByName,
  buildRetirement,
  findReplacement,
  isRetired,
  isWithin,
  periodAt,
  priceAt,
  priceChangesOf,
} from './schedule.ts';

interface BuildMoment {
  /** The moment that the catalog is for; by default that of the document. */
  at?: number;
  /** Since when the models with a date of retirement have it, by id; by default since the document. */
  deprecatedSince?: ReadonlyMap<string, number> | undefined;
}

/** A document as it applies from one moment to another: the prices of that time, without models that retired before. */
export type Catalog = Readonly<ReturnType<typeof buildCatalog>>;

export function buildCatalog(
  document: Document,
  revision: number,
  createdAt: number,
  { at = createdAt, deprecatedSince }: BuildMoment = {},
) {
  const channels: ReadonlyMap<string, Channel> = new Map(
    document.channels.map((channel) => [channel.name, buildChannel(channel)]),
  );
  const all = document.models.map((model) =>
    buildModel(model, channels, at, deprecatedSince?.get(model.id) ?? createdAt),
  );
  const models: readonly Model[] = all.filter((model) => !isRetired(model, at));
  const byName = byNames(models);
  const retired = byNames(all.filter((model) => isRetired(model, at)));
  const period = periodAt(document, at);
  return {
    ...period,
    revision,
    /** When the document was applied, or when it last changed by itself. */
    updatedAt: Math.max(createdAt, period.from),
    models,
    retired,
    channels,
    limits: document.limits,
    guards: document.guards,
    issuer: document.issuer,
    /** By id or alias; for a retired model, the one that replaces it. */
    find: (id: string): Model | undefined => byName.get(id) ?? findReplacement(id, byName, retired),
  };
}

function byNames(models: readonly Model[]): ByName<Model> {
  return new Map(models.flatMap((model) => [model.id, ...model.aliases].map((name) => [name, model] as const)));
}

export type CatalogOverTime = (at: number) => Catalog;

/** One document at any moment: its catalog changes by itself. The last one is kept: moments mostly follow each other. */
export function catalogOverTime(
  document: Document,
  revision: number,
  createdAt: number,
  deprecatedSince?: ReadonlyMap<string, number>,
): CatalogOverTime {
  let last: Catalog | undefined;
  return (at) => {
    if (!last || !isWithin(last, at)) last = buildCatalog(document, revision, createdAt, { at, deprecatedSince });
    return last;
  };
}

/** Token limits of one call; for a free model the lower ones of the guards. */
export function tokenBounds(model: Model, { guards }: Catalog): { input: number; output: number } {
  const { contextTokens: input, maxOutputTokens: output } = model;
  if (!model.free) return { input, output };
  return {
    input: Math.min(input, guards.free_input_tokens ?? input),
    output: Math.min(output, guards.free_output_tokens ?? output),
  };
}

/** The model that examples and commands name, so that they work on this server: the free one, else the first of its kind. */
export function exampleModel({ models, find }: Catalog, kind: ModelKind): Model | undefined {
  return [find(FREE_MODEL), ...models].find((model) => model?.kinds.includes(kind));
}

/** At the end of a query the slash is part of a value. */
function withoutSlash(url: string): string {
  return url.replace(/^([^?#]*?)\/+$/, '$1');
}

export type Channel = Readonly<ReturnType<typeof buildChannel>>;

function buildChannel(channel: DocumentChannel) {
  return {
    name: channel.name,
    kind: channel.kind,
    /** False: the channel exists but has no routes. */
    enabled: channel.enabled,
    baseUrl: withoutSlash(channel.base_url ?? ''),
    /** The upstream's address for the Anthropic format, if it has one. */
    anthropicBaseUrl: channel.anthropic_base_url ? withoutSlash(channel.anthropic_base_url) : undefined,
    endpoints: endpointsOf(channel),
    /** As in the document: `env:NAME`, `file:PATH`, a sealed literal, or nothing. */
    apiKey: channel.api_key,
    /** The AWS region of a channel of kind bedrock. */
    region: regionOf(channel),
    quirks: buildQuirks(channel),
    prefill: channel.prefill,
    /** After a client disconnects, read the rest of its stream for exact usage. */
    drainOnAbort: channel.drain_on_abort,
    /** How its vendor says what credit is left; undefined if it does not. */
    balance: channel.kind === 'openai' && channel.quirks ? BALANCE_CALLS[channel.quirks] : undefined,
    /** In the vendor's currency; null: no alarm; undefined: by what the last days cost. */
    balanceAlarm: channel.balance_alarm,
    timeouts: {
      connectMs: channel.timeouts.connect_ms,
      /** `auto`: derived from the route's recent answers. */
      firstTokenMs: channel.timeouts.first_token_ms,
      idleMs: channel.timeouts.idle_ms,
      totalMs: channel.timeouts.total_ms,
    },
  };
}

function buildQuirks({ kind, quirks, mid_system: midSystem }: DocumentChannel): Quirks {
  const named = quirksOf(quirks ?? (kind === 'azure' ? 'azure' : undefined));
  return midSystem === undefined ? named : { ...named, midSystem };
}

export type Model = Readonly<ReturnType<typeof buildModel>>;
/** A price list that comes into effect later. */
export type ScheduledPrice = Model['laterPrices'][number];

function buildModel(model: DocumentModel, channels: ReadonlyMap<string, Channel>, at: number, deprecatedAt: number) {
  const contextTokens = model.context_tokens ?? DEFAULT_CONTEXT_TOKENS;
  const { prices, priced } = buildPrices(model, at);
  const routes: readonly Route[] = model.routes
    .flatMap((route) => buildRoute(route, channels.get(route.channel), prices))
    .sort((a, b) => a.priority - b.priority);
  return {
    id: model.id,
    name: model.name ?? model.id,
    /** A few sentences, by language. */
    description: model.description,
    /** In the order of `MODEL_FEATURES`; none if the document says nothing. */
    features: MODEL_FEATURES.filter((feature) => model.features.includes(feature)),
    aliases: model.aliases,
    kinds: model.kinds,
    contextTokens,
    /** True if the document sets it. */
    isContextStated: model.context_tokens !== undefined,
    maxOutputTokens: Math.min(model.max_output_tokens, contextTokens),
    free: model.price === 'free',
    /** Every route is on a demo channel: the answers are built in, no model is called. */
    demo: routes.length > 0 && routes.every(({ channel }) => channel.kind === 'demo'),
    prices,
    /** Prices that apply to this model, set or implied by the document. */
    priced,
    routes,
    fallbacks: model.fallbacks,
    /** When to start the next channel beside a slow one; `auto`: when it is slower than usual. */
    hedge: model.hedge,
    /** Undefined if no date is set. */
    retirement: buildRetirement(model, deprecatedAt),
    /** In ascending order. */
    laterPrices: priceChangesOf(model.price)
      .filter((moment) => moment > at)
      .map((moment) => ({ at: moment, ...buildPrices(model, moment) })),
  };
}

export type Route = Readonly<ReturnType<typeof buildRoute>[number]>;

/** None on a channel that is switched off. */
function buildRoute(route: DocumentModel['routes'][number], channel: Channel | undefined, salePrices: ListPrices) {
  if (!channel?.enabled) return [];
  const { model, priority, weight, cost } = route;
  const builtIn: ListPrices | undefined = channel.kind === 'demo' ? FREE : undefined;
  const knownCosts = cost ? withRules(salePrices, cost) : builtIn;
  return [
    {
      channel,
      /** The model's name at the upstream. */
      model,
      /** In which formats the channel serves this model. */
      endpoints: endpointsFor(channel.kind, channel.endpoints, model),
      priority,
      weight,
      firstTokenMs: route.first_token_ms ?? channel.timeouts.firstTokenMs,
      /** The upstream continues a final assistant message. */
      prefill: route.prefill ?? channel.prefill,
      /** The upstream's bill per unit: the route's `cost`, nothing on a demo channel, otherwise the sale price. */
      costs: knownCosts ?? salePrices,
      /** False if `costs` is only the sale price: profit does not know what the upstream bills. */
      isCostKnown: knownCosts !== undefined,
    },
  ];
}

/** A missing price falls back to the input price, except for output and what is no token. */
function buildPrices(
  { price: list, kinds }: DocumentModel,
  at: number,
): {
  prices: ListPrices;
  priced: ReadonlySet<keyof Prices>;
} {
  const price = priceAt(list, at);
  if (price === 'free') return { prices: FREE, priced: new Set(kinds.flatMap((kind) => FREE_PRICES[kind])) };
  const prices = withRules(FREE, price);
  const isSet = (name: keyof Prices) => price[DOCUMENT_NAMES[name]] !== undefined;
  const shown = kinds.flatMap((kind) => [...USUAL_PRICES[kind], ...CHARGED_PRICES[kind].filter(isSet)]);
  return { prices, priced: new Set(shown) };
}

/** Takes omitted parts from `others`: a price, all tiers, all service tiers, all tools. */
function withRules(others: ListPrices, list: Amounts): ListPrices {
  const { rules: inherited, ...base } = others;
  const rules: PriceRules = {
    tiers: list.tiers?.map((tier) => buildTier(base, list, tier)) ?? inherited?.tiers ?? [],
    serviceTiers: mapOf(list.service_tiers) ?? inherited?.serviceTiers ?? new Map(),
    tools: mapOf(list.tools) ?? inherited?.tools ?? new Map(),
  };
  const isFlat = rules.tiers.length + rules.serviceTiers.size + rules.tools.size === 0;
  return { ...base, ...pricesOf(list), rules: isFlat ? undefined : rules };
}

/** A price that the tier leaves out is the one of its list; without either, cache tokens cost as much as its input. */
function buildTier(base: Prices, list: Amounts, tier: NonNullable<Amounts['tiers']>[number]): InputTier {
  const own = Object.fromEntries(listed(tier));
  return { ...beginningOf(tier), prices: { ...base, ...pricesOf({ ...list, ...own }) } };
}

function mapOf(table: Readonly<Record<string, bigint | undefined>> | undefined): Map<string, bigint> | undefined {
  return table && new Map(listed(table));
}

/** The entries that are set. */
function listed<Value>(table: Readonly<Record<string, Value | undefined>>): [name: string, value: Value][] {
  return Object.entries(table).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

/** Per unit; without a price and a fallback the entry is missing. */
function pricesOf(list: Amounts): Partial<Prices> {
  const listed: Partial<Prices> = {};
  for (const name of PRICE_ORDER) {
    const nano = priceOf(list, DOCUMENT_NAMES[name]);
    if (nano !== undefined) listed[name] = nano / LISTED_UNITS[name];
  }
  return listed;
}
