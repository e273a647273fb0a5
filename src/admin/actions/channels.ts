// Channels for the operator: settings, health and recent errors.

import type { Channel } from '../../catalog/catalog.ts';
import type { Document } from '../../catalog/document.ts';
import { isReference } from '../../catalog/document-secrets.ts';
import { channelState, routeState, type State } from '../../catalog/publishing/status-states.ts';
import type { BreakerState } from '../../channels/health.ts';
import { percentileOf, type WindowFigures } from '../../channels/traffic.ts';
import { HOUR_MS } from '../../kit/clock.ts';
import type { TrafficHour } from '../../store/rows.ts';
import { type Newest, readNewest } from './newest.ts';
import { notFound } from './refused.ts';
import type { OperatingTools } from './tools.ts';

export interface Figures {
  requests: number;
  successRate: number | null;
  /** Exact in the last hour; of stored hours upper bounds, the ends of histogram steps. */
  firstTokenMs: { p50: number | null; p95: number | null };
}

export type ChannelView = Awaited<ReturnType<typeof listChannels>>[number];

const HOURS_SHOWN = 24;

/** Of the state of this node: without breakers, errors and the last hour on the command line. */
export async function listChannels(tools: OperatingTools) {
  const { node } = tools;
  const now = Math.floor(tools.clock.now() / HOUR_MS);
  const [newest, hours] = await Promise.all([readNewest(tools), tools.store.read.trafficSince(now - HOURS_SHOWN + 1)]);
  const breakers = node?.health.states() ?? [];
  return [...newest.catalog.channels.values()].map((channel) => {
    const { name } = channel;
    const channelHours = hours.filter((hour) => hour.channel === name);
    return {
      ...describe(newest, channel),
      /** State of its routes in the last hour on this node, as on the public status page; `unknown` on the command line. */
      state: stateOfChannel(tools, newest, name, breakers),
      breakers: breakers.filter((breaker) => breaker.channel === name).map((breaker) => viewBreaker(tools, breaker)),
      /** Newest first, without content. */
      lastErrors: node?.errors.list(name) ?? [],
      /** The prepaid credit at its vendor; null if the vendor does not say it, or was not asked yet. */
      balance: node?.balances.get(name) ?? null,
      lastHour: lastHour(tools, channel, modelsOf(newest.document, name)),
      /** From all nodes, read from the store. */
      last24Hours: sumHours(channelHours),
      /** The last 24 hours by their start, oldest first, including those without traffic. */
      hours: Array.from({ length: HOURS_SHOWN }, (_, index) => {
        const hour = now - HOURS_SHOWN + 1 + index;
        return { at: hour * HOUR_MS, ...sumHours(channelHours.filter((entry) => entry.hour === hour)) };
      }),
    };
  });
}

/** Refused: not_found. */
export async function showChannel(tools: OperatingTools, name: string): Promise<ChannelView> {
  const found = (await listChannels(tools)).find((channel) => channel.name === name);
  if (!found) throw notFound(`channel ${name}`);
  return found;
}

function describe({ document }: Newest, { name, kind, baseUrl, endpoints, enabled, apiKey }: Channel) {
  const isReferred = apiKey !== undefined && isReference(apiKey);
  const stored = apiKey === undefined ? ('none' as const) : ('stored' as const);
  return {
    name,
    kind,
    /** Host and port only; empty for the demo channel. */
    baseUrlHost: URL.canParse(baseUrl) ? new URL(baseUrl).host : '',
    endpoints,
    /** The name of its set of peculiarities; undefined: a generic upstream of its kind. */
    quirks: document.channels.find((channel) => channel.name === name)?.quirks,
    enabled,
    /** How the document stores its key; the key itself is never shown. */
    apiKey: isReferred ? ('reference' as const) : stored,
    /** `env:NAME` or `file:PATH`. */
    apiKeyReference: isReferred ? apiKey : undefined,
    /** Public ids of the models with a route here, also while it is switched off. */
    models: modelsOf(document, name),
  };
}

function modelsOf({ models }: Document, channel: string): string[] {
  return models.filter(({ routes }) => routes.some((route) => route.channel === channel)).map(({ id }) => id);
}

/** `retryAt`: when the next probe is allowed. */
function viewBreaker({ clock }: OperatingTools, breaker: BreakerState) {
  const { model, state, since, why, failures, retryAt } = breaker;
  const waitMs = retryAt === null ? null : Math.max(0, retryAt - clock.monotonic());
  return { model, state, since, why, failures, retryAt: waitMs === null ? null : Math.round(clock.now() + waitMs) };
}

function stateOfChannel(
  { node }: OperatingTools,
  { catalog }: Newest,
  name: string,
  breakers: readonly BreakerState[],
): State {
  const routes = catalog.models.flatMap(({ id, routes }) =>
    routes.filter(({ channel }) => channel.name === name).map(({ model }) => ({ id, model })),
  );
  return channelState(
    routes.map(({ id, model }) => {
      const breaker = breakers.find((one) => one.channel === name && one.model === model);
      return routeState(node?.traffic.figures(name, id, HOUR_MS).successRate ?? null, breaker?.state);
    }),
  );
}

/** Over all models of the channel. The percentiles are those of the model with the most requests. */
function lastHour({ node }: OperatingTools, { name }: Channel, models: readonly string[]): Figures {
  const all = models.flatMap((model) => node?.traffic.figures(name, model, HOUR_MS) ?? []);
  const requests = all.reduce((sum, window) => sum + window.requests, 0);
  const succeeded = (window: WindowFigures) => window.requests * (window.successRate ?? 0);
  const busiest = all.toSorted((a, b) => b.requests - a.requests)[0];
  return {
    requests,
    successRate: requests === 0 ? null : all.reduce((sum, window) => sum + succeeded(window), 0) / requests,
    firstTokenMs: busiest?.firstTokenMs ?? { p50: null, p95: null },
  };
}

/** Sums of several hours. */
export function sumHours(hours: readonly TrafficHour[]): Figures {
  const sum = (count: (hour: TrafficHour) => number) => hours.reduce((total, hour) => total + count(hour), 0);
  const requests = sum(({ ok, failed }) => ok + failed);
  const firstToken = (hours[0]?.firstToken ?? []).map((_, step) => sum((hour) => hour.firstToken[step] ?? 0));
  return {
    requests,
    successRate: requests === 0 ? null : sum(({ ok }) => ok) / requests,
    firstTokenMs: { p50: percentileOf(firstToken, 0.5), p95: percentileOf(firstToken, 0.95) },
  };
}
