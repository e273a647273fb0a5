// Applies the caller's own routing: the models of a call get only the routes that the caller accepts, in the order that it
// asks for. Everything after this, from the hold to the last retry, sees no other route.

import type { Catalog, Channel, Model, Route } from '../catalog/catalog.ts';
import { nearestIds } from '../catalog/nearest-ids.ts';
import type { RelayRequest } from '../dialects/dialect.ts';
import { estimateAt } from '../dialects/input/estimated-input.ts';
import type { ChannelPreferences, Routing } from '../dialects/routing-fields.ts';
import { type Fault, fault } from '../faults/fault.ts';
import type { Nano } from '../kit/money.ts';
import { chargedTier } from '../kit/prices.ts';
import { costOf } from '../ledger/cost.ts';
import { NO_BUCKETS } from '../store/rows.ts';
import type { IncomingCall, RelayTools } from './call.ts';
import { isReached, type Models, namedIn } from './choose-model.ts';
import { answerSize } from './silence-limits.ts';

/** For comparing the prices of models, where the request has no output limit. */
const USUAL_OUTPUT_TOKENS = 1_000;

/** Throws if a channel does not exist, or if none is left. */
export function preferRoutes(
  models: Models,
  { models: listed, channels: preferences }: Routing,
  { tools, catalog, dialect }: IncomingCall,
  request: RelayRequest,
): Models {
  requireChannels(catalog, models, preferences);
  const reached = models
    .map((model) => ({ ...model, routes: preferred(tools, model, preferences, request) }))
    .filter((model) => isReached(model, dialect));
  // The fallbacks of the catalog never come before the model that the caller named.
  const isByPrice = preferences.sort === 'price' && listed !== undefined;
  const [first, ...others] = isByPrice ? cheapestFirst(reached, request) : reached;
  if (!first) throw nothingLeft(models);
  return [first, ...others];
}

function requireChannels(catalog: Catalog, models: Models, preferences: ChannelPreferences): void {
  for (const list of ['only', 'ignore', 'order'] as const) {
    const at = preferences[list]?.findIndex((name) => !catalog.channels.has(name)) ?? -1;
    const name = preferences[list]?.[at];
    if (name !== undefined) throw unknownChannel(`provider.${list}[${at}]`, name, channelsOf(models));
  }
}

function channelsOf(models: Models): string[] {
  return [...new Set(models.flatMap(({ routes }) => routes.map(({ channel }) => channel.name)))];
}

function unknownChannel(param: string, name: string, channels: readonly string[]): Fault {
  const near = nearestIds(name, channels);
  const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Channels: ${channels.join(', ')}.`;
  return fault('invalid_request', { param, message: `${namedIn('channel', name)} does not exist. ${hint}`, hint });
}

function nothingLeft(models: Models): Fault {
  const ids = models.map(({ id }) => `'${id}'`).join(', ');
  const hint = `Channels: ${channelsOf(models).join(', ')}.`;
  const message = `provider leaves no channel of ${ids} that serves this endpoint. ${hint} Change provider.only or provider.ignore.`;
  return fault('invalid_request', { param: 'provider', message, hint });
}

/** In the order in which they are to be tried. Routes of one priority are still shared by weight. */
function preferred(tools: RelayTools, model: Model, preferences: ChannelPreferences, request: RelayRequest): Route[] {
  const { only, ignore, order, sort, allowFallbacks } = preferences;
  const allowed = model.routes.filter(
    ({ channel: { name } }) => (!only || only.includes(name)) && !ignore?.includes(name),
  );
  const ordered = (order ?? []).flatMap((name) => allowed.filter(({ channel }) => channel.name === name));
  const rest = order && !allowFallbacks ? [] : allowed.filter((route) => !ordered.includes(route));
  const measured = sort === 'latency' ? fastestFirst(tools, model, rest, request) : [];
  const first = [...new Set([...ordered, ...measured])];
  const others = rest.filter((route) => !measured.includes(route));
  return first
    .map((route, index) => ({ ...route, priority: index }))
    .concat(others.map((route) => ({ ...route, priority: first.length + route.priority })));
}

/** The routes with timed recent answers of this size, fastest first. */
function fastestFirst(
  { answerTimes }: RelayTools,
  model: Model,
  routes: readonly Route[],
  request: RelayRequest,
): readonly Route[] {
  const size = answerSize(
    request,
    model,
    Math.min(request.maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens),
  );
  return routes
    .map((route) => ({ route, ms: answerTimes.median(route.channel.name, route.model, size) }))
    .filter((timed): timed is { route: Route; ms: number } => timed.ms !== undefined)
    .sort((a, b) => a.ms - b.ms)
    .map(({ route }) => route);
}

/** By likely cost of this request; equal ones stay in the caller's order. */
function cheapestFirst(models: readonly Model[], request: RelayRequest): Model[] {
  const costs = new Map(models.map((model) => [model, likelyCost(model, request)]));
  const costOfModel = (model: Model) => costs.get(model) ?? 0n;
  return models.toSorted((a, b) => Number(costOfModel(a) > costOfModel(b)) - Number(costOfModel(a) < costOfModel(b)));
}

function likelyCost({ prices, routes, maxOutputTokens }: Model, request: RelayRequest): Nano {
  const input = estimateAt(request.input, routes[0]?.model ?? '');
  const output = Math.min(request.maxOutputTokens ?? USUAL_OUTPUT_TOKENS, maxOutputTokens) * request.choices;
  const tier = chargedTier(prices, { sent: request.serviceTier, reported: undefined });
  return costOf({ ...NO_BUCKETS, input, output, images: request.images }, prices, tier);
}

/**
 * A request may have items that only one upstream account can read. Its models then have only the routes to that account, so
 * that no later step sends it to an upstream that would refuse it or answer without them. Throws if no route is left.
 */
export function keepReadableRoutes(
  models: Models,
  { tools: { isSameAccount }, vendorItems: items, catalog, dialect }: IncomingCall,
): Models {
  const makers = items.map(({ channel }) => catalog.channels.get(channel));
  const canRead = (channel: Channel) => makers.every((maker) => maker !== undefined && isSameAccount(maker, channel));
  const [first, ...others] = models
    .map((model) => ({ ...model, routes: model.routes.filter(({ channel }) => canRead(channel)) }))
    .filter((model) => isReached(model, dialect));
  if (first) return [first, ...others];
  const [{ param } = { param: 'input' }] = items;
  throw fault('invalid_request', {
    param,
    message: `${param} can be read only by the upstream that made it, and no channel of '${models[0].id}' uses that upstream now. Use the model that compacted the conversation, or send the conversation without ${param}.`,
    internal: `made by ${items.map(({ channel }) => channel).join(', ')}`,
  });
}
