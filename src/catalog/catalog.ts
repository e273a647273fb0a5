// The active catalog: a valid document as the service uses it, with prices in nano-NT$ and everything looked up by name.

import { FREE, type Prices } from '../kit/prices.ts';
import { type ChannelKind, type Endpoint, endpointsOf, type ModelKind } from '../vendors/endpoints.ts';
import { type Quirks, quirksOf } from '../vendors/quirks.ts';
import {
  DEFAULT_CONTEXT_TOKENS,
  type Document,
  type DocumentChannel,
  type DocumentModel,
  type Guards,
  type Limits,
} from './document.ts';
import { type Amounts, type PriceName, priceOf } from './listed-prices.ts';

/** `auto`: by what the route's last answers took. */
export type FirstTokenMs = number | 'auto';

export interface Timeouts {
  connectMs: number;
  firstTokenMs: FirstTokenMs;
  idleMs: number;
  totalMs: number;
}

export interface Channel {
  name: string;
  kind: ChannelKind;
  /** False: it is known, but no route leads to it. */
  enabled: boolean;
  baseUrl: string;
  /** Where the same upstream speaks the Anthropic format, if it does. */
  anthropicBaseUrl: string | undefined;
  endpoints: readonly Endpoint[];
  /** As the document has it: `env:NAME`, `file:PATH`, a sealed literal, or nothing. */
  apiKey: string | undefined;
  /** The upstream's peculiarities. */
  quirks: Quirks;
  prefill: boolean;
  /** After a client left, read the rest of its stream for exact usage. */
  drainOnAbort: boolean;
  timeouts: Timeouts;
}

export interface Route {
  channel: Channel;
  /** The model's name at the upstream. */
  model: string;
  priority: number;
  weight: number;
  firstTokenMs: FirstTokenMs;
  /** The upstream continues an assistant message that stands last. */
  prefill: boolean;
  /** What the upstream bills for each unit: the route's `cost`, or the sale price where the document states no cost. */
  costs: Prices;
}

export interface Model {
  id: string;
  name: string;
  aliases: readonly string[];
  kinds: readonly ModelKind[];
  contextTokens: number;
  /** The document says it. */
  isContextStated: boolean;
  maxOutputTokens: number;
  free: boolean;
  prices: Prices;
  /** Which prices can be charged, set or implied by the document; the others do not apply to this model. */
  priced: ReadonlySet<keyof Prices>;
  routes: readonly Route[];
  fallbacks: readonly string[];
  /** When the next channel is asked beside a late one; `auto`: when it is late by what is usual there. */
  hedge: number | 'auto' | 'off';
}

export interface Catalog {
  revision: number;
  updatedAt: number;
  models: readonly Model[];
  channels: ReadonlyMap<string, Channel>;
  limits: Limits;
  guards: Guards;
  /** By id or alias. */
  find(id: string): Model | undefined;
}

const TOKENS_PER_PRICE = 1_000_000n;

export function buildCatalog(document: Document, revision: number, updatedAt: number): Catalog {
  const channels = new Map(document.channels.map((channel) => [channel.name, buildChannel(channel)]));
  const models = document.models.map((model) => buildModel(model, channels));
  const byName = new Map(models.flatMap((model) => [model.id, ...model.aliases].map((name) => [name, model] as const)));
  return {
    revision,
    updatedAt,
    models,
    channels,
    limits: document.limits,
    guards: document.guards,
    find: (id) => byName.get(id),
  };
}

/** At the end of a query it is part of a value. */
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
    quirks: buildQuirks(channel),
    prefill: channel.prefill,
    drainOnAbort: channel.drain_on_abort,
    timeouts: {
      connectMs: channel.timeouts.connect_ms,
      firstTokenMs: channel.timeouts.first_token_ms,
      idleMs: channel.timeouts.idle_ms,
      totalMs: channel.timeouts.total_ms,
    },
  };
}

function buildQuirks({ quirks, mid_system: midSystem }: DocumentChannel): Quirks {
  const named = quirksOf(quirks);
  return midSystem === undefined ? named : { ...named, midSystem };
}

function buildModel(model: DocumentModel, channels: ReadonlyMap<string, Channel>): Model {
  const contextTokens = model.context_tokens ?? DEFAULT_CONTEXT_TOKENS;
  const { prices, priced } = buildPrices(model);
  return {
    id: model.id,
    name: model.name ?? model.id,
    aliases: model.aliases,
    kinds: model.kinds,
    contextTokens,
    isContextStated: model.context_tokens !== undefined,
    maxOutputTokens: Math.min(model.max_output_tokens, contextTokens),
    free: model.price === 'free',
    prices,
    priced,
    routes: model.routes
      .flatMap((route) => {
        const channel = channels.get(route.channel);
        if (!channel?.enabled) return [];
        const { model: name, priority, weight } = route;
        return [
          {
            channel,
            model: name,
            priority,
            weight,
            firstTokenMs: route.first_token_ms ?? channel.timeouts.firstTokenMs,
            prefill: route.prefill ?? channel.prefill,
            costs: route.cost ? { ...prices, ...pricesOf(route.cost) } : prices,
          },
        ];
      })
      .sort((a, b) => a.priority - b.priority),
    fallbacks: model.fallbacks,
    hedge: model.hedge,
  };
}

/** A price left out falls back to the input price; nothing falls back for output and images. */
function buildPrices({ price, kinds }: DocumentModel): { prices: Prices; priced: ReadonlySet<keyof Prices> } {
  if (price === 'free') return { prices: FREE, priced: new Set(kinds.flatMap((kind) => FREE_PRICES[kind])) };
  const prices = { ...FREE, ...pricesOf(price) };
  const isSet = (name: keyof Prices) => price[DOCUMENT_NAMES[name]] !== undefined;
  const shown = kinds.flatMap((kind) => [...USUAL_PRICES[kind], ...CHARGED_PRICES[kind].filter(isSet)]);
  return { prices, priced: new Set(shown) };
}

/** For each unit; what has neither a price nor a fallback is left out. */
function pricesOf(list: Amounts): Partial<Prices> {
  const listed: Partial<Prices> = {};
  for (const [name, documentName] of Object.entries(DOCUMENT_NAMES) as [keyof Prices, PriceName][]) {
    const nano = priceOf(list, documentName);
    if (nano !== undefined) listed[name] = name === 'image' ? nano : nano / TOKENS_PER_PRICE;
  }
  return listed;
}

const DOCUMENT_NAMES = {
  input: 'input',
  cachedInput: 'cached_input',
  cacheWrite5m: 'cache_write_5m',
  cacheWrite1h: 'cache_write_1h',
  output: 'output',
  image: 'image',
} as const;

/** What a price list of a kind always has. */
const USUAL_PRICES: Record<ModelKind, readonly (keyof Prices)[]> = {
  chat: ['input', 'cachedInput', 'cacheWrite5m', 'cacheWrite1h', 'output'],
  embeddings: ['input'],
  images: [],
};

/** What the usage of a kind can hold: each that the document sets is charged, so each is shown. */
const CHARGED_PRICES: Record<ModelKind, readonly (keyof Prices)[]> = {
  chat: USUAL_PRICES.chat,
  embeddings: ['input', 'cachedInput', 'cacheWrite5m', 'output'],
  images: ['input', 'output', 'image'],
};

const FREE_PRICES: Record<ModelKind, readonly (keyof Prices)[]> = { ...USUAL_PRICES, images: ['image'] };
