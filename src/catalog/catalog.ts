// The active catalog: a valid document in the form the service uses, with prices in nano-NT$ and lookup by name.

import { FREE, type InputTier, LISTED_UNITS, type ListPrices, type PriceRules, type Prices } from '../kit/prices.ts';
import { BALANCE_CALLS, type BalanceCall } from '../vendors/balances.ts';
import { regionOf } from '../vendors/bedrock.ts';
import { type ChannelKind, type Endpoint, endpointsFor, endpointsOf, type ModelKind } from '../vendors/endpoints.ts';
import { type Quirks, quirksOf } from '../vendors/quirks.ts';
import { CHARGED_PRICES, FREE_PRICES, USUAL_PRICES } from './charged-prices.ts';
import {
  DEFAULT_CONTEXT_TOKENS,
  type Document,
  type DocumentChannel,
  type DocumentModel,
  type Guards,
  type Limits,
} from './document.ts';
import { MODEL_FEATURES, type ModelFeature } from './features.ts';
import type { Issuer } from './issuer.ts';
import { type Amounts, DOCUMENT_NAMES, PRICE_ORDER, priceOf } from './listed-prices.ts';
import { beginningOf } from './price-shape.ts';
import { type ByName, buildRetirement, findReplacement, isRetired, type Retirement } from './retirement.ts';
import { type Period, periodAt, priceAt, priceChangesOf } from './schedule.ts';

/** `auto`: derived from the route's recent answers. */
type FirstTokenMs = number | 'auto';

interface Timeouts {
  connectMs: number;
  firstTokenMs: FirstTokenMs;
  idleMs: number;
  totalMs: number;
}

export interface Channel {
  name: string;
  kind: ChannelKind;
  /** False: the channel exists but has no routes. */
  enabled: boolean;
  baseUrl: string;
  /** The upstream's address for the Anthropic format, if it has one. */
  anthropicBaseUrl: string | undefined;
  endpoints: readonly Endpoint[];
  /** As in the document: `env:NAME`, `file:PATH`, a sealed literal, or nothing. */
  apiKey: string | undefined;
  /** The AWS region of a channel of kind bedrock. */
  region: string | undefined;
  quirks: Quirks;
  prefill: boolean;
  /** After a client disconnects, read the rest of its stream for exact usage. */
  drainOnAbort: boolean;
  /** How its vendor says what credit is left; undefined if it does not. */
  balance: BalanceCall | undefined;
  /** In the vendor's currency; null: no alarm; undefined: by what the last days cost. */
  balanceAlarm: number | null | undefined;
  timeouts: Timeouts;
}

export interface Route {
  channel: Channel;
  /** The model's name at the upstream. */
  model: string;
  /** In which formats the channel serves this model. */
  endpoints: readonly Endpoint[];
  priority: number;
  weight: number;
  firstTokenMs: FirstTokenMs;
  /** The upstream continues a final assistant message. */
  prefill: boolean;
  /** The upstream's bill per unit: the route's `cost`, nothing on a demo channel, otherwise the sale price. */
  costs: ListPrices;
  /** False if `costs` is only the sale price: profit does not know what the upstream bills. */
  isCostKnown: boolean;
}

/** A price list that comes into effect later. */
export interface ScheduledPrice extends Pick<Model, 'prices' | 'priced'> {
  at: number;
}

export interface Model {
  id: string;
  name: string;
  /** A few sentences, by language. */
  description: DocumentModel['description'];
  /** In the order of `MODEL_FEATURES`; none if the document says nothing. */
  features: readonly ModelFeature[];
  aliases: readonly string[];
  kinds: readonly ModelKind[];
  contextTokens: number;
  /** True if the document sets it. */
  isContextStated: boolean;
  maxOutputTokens: number;
  free: boolean;
  /** Every route is on a demo channel: the answers are built in, no model is called. */
  demo: boolean;
  prices: ListPrices;
  /** Prices that apply to this model, set or implied by the document. */
  priced: ReadonlySet<keyof Prices>;
  routes: readonly Route[];
  fallbacks: readonly string[];
  /** When to start the next channel beside a slow one; `auto`: when it is slower than usual. */
  hedge: number | 'auto' | 'off';
  /** Undefined if no date is set. */
  retirement: Retirement | undefined;
  /** In ascending order. */
  laterPrices: readonly ScheduledPrice[];
}

/** A document as it applies from one moment to another: the prices of that time, without models that retired before. */
export interface Catalog extends Period {
  revision: number;
  /** When the document was applied, or when it last changed by itself. */
  updatedAt: number;
  models: readonly Model[];
  retired: ByName<Model>;
  channels: ReadonlyMap<string, Channel>;
  limits: Limits;
  guards: Guards;
  issuer: Issuer;
  /** By id or alias; for a retired model, the one that replaces it. */
  find(id: string): Model | undefined;
}

interface BuildMoment {
  /** The moment that the catalog is for; by default that of the document. */
  at?: number;
  /** Since when the models with a date of retirement have it, by id; by default since the document. */
  deprecatedSince?: ReadonlyMap<string, number> | undefined;
}

export function buildCatalog(
  document: Document,
  revision: number,
  createdAt: number,
  { at = createdAt, deprecatedSince }: BuildMoment = {},
): Catalog {
  const channels = new Map(document.channels.map((channel) => [channel.name, buildChannel(channel)]));
  const all = document.models.map((model) =>
    buildModel(model, channels, at, deprecatedSince?.get(model.id) ?? createdAt),
  );
  const models = all.filter((model) => !isRetired(model, at));
  const byName = byNames(models);
  const retired = byNames(all.filter((model) => isRetired(model, at)));
  const period = periodAt(document, at);
  return {
    ...period,
    revision,
    updatedAt: Math.max(createdAt, period.from),
    models,
    retired,
    channels,
    limits: document.limits,
    guards: document.guards,
    issuer: document.issuer,
    find: (id) => byName.get(id) ?? findReplacement(id, byName, retired),
  };
}

function byNames(models: readonly Model[]): ByName<Model> {
  return new Map(models.flatMap((model) => [model.id, ...model.aliases].map((name) => [name, model] as const)));
}

/** At the end of a query the slash is part of a value. */
function withoutSlash(url: string): string {
  return url.replace(/^([^?#]*?)\/+$/, '$1');
}

function buildChannel(channel: DocumentChannel): Channel {
  return {
    name: channel.name,
    kind: channel.kind,
    enabled: channel.enabled,
    baseUrl: withoutSlash(channel.base_url ?? ''),
    anthropicBaseUrl: channel.anthropic_base_url ? withoutSlash(channel.anthropic_base_url) : undefined,
    endpoints: endpointsOf(channel),
    apiKey: channel.api_key,
    region: regionOf(channel),
    quirks: buildQuirks(channel),
    prefill: channel.prefill,
    drainOnAbort: channel.drain_on_abort,
    balance: channel.kind === 'openai' && channel.quirks ? BALANCE_CALLS[channel.quirks] : undefined,
    balanceAlarm: channel.balance_alarm,
    timeouts: {
      connectMs: channel.timeouts.connect_ms,
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

function buildModel(
  model: DocumentModel,
  channels: ReadonlyMap<string, Channel>,
  at: number,
  deprecatedAt: number,
): Model {
  const contextTokens = model.context_tokens ?? DEFAULT_CONTEXT_TOKENS;
  const { prices, priced } = buildPrices(model, at);
  return {
    id: model.id,
    name: model.name ?? model.id,
    description: model.description,
    features: MODEL_FEATURES.filter((feature) => model.features.includes(feature)),
    aliases: model.aliases,
    kinds: model.kinds,
    contextTokens,
    isContextStated: model.context_tokens !== undefined,
    maxOutputTokens: Math.min(model.max_output_tokens, contextTokens),
    free: model.price === 'free',
    demo: isDemo(model, channels),
    prices,
    priced,
    routes: model.routes
      .flatMap((route) => {
        const channel = channels.get(route.channel);
        if (!channel?.enabled) return [];
        const { model: name, priority, weight } = route;
        const isDemoRoute = channel.kind === 'demo';
        return [
          {
            channel,
            model: name,
            endpoints: endpointsFor(channel.kind, channel.endpoints, name),
            priority,
            weight,
            firstTokenMs: route.first_token_ms ?? channel.timeouts.firstTokenMs,
            prefill: route.prefill ?? channel.prefill,
            costs: route.cost ? withRules(prices, route.cost) : isDemoRoute ? FREE : prices,
            isCostKnown: route.cost !== undefined || isDemoRoute,
          },
        ];
      })
      .sort((a, b) => a.priority - b.priority),
    fallbacks: model.fallbacks,
    hedge: model.hedge,
    retirement: buildRetirement(model, deprecatedAt),
    laterPrices: priceChangesOf(model.price)
      .filter((moment) => moment > at)
      .map((moment) => ({ at: moment, ...buildPrices(model, moment) })),
  };
}

function isDemo({ routes }: DocumentModel, channels: ReadonlyMap<string, Channel>): boolean {
  const used = routes.flatMap(({ channel }) => channels.get(channel) ?? []).filter(({ enabled }) => enabled);
  return used.length > 0 && used.every(({ kind }) => kind === 'demo');
}

/** A missing price falls back to the input price, except for output and what is no token. */
function buildPrices({ price: list, kinds }: DocumentModel, at: number): Pick<Model, 'prices' | 'priced'> {
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
