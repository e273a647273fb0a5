// Channels for the operator: settings, health and recent errors.

import type { Channel } from '../../catalog/catalog.ts';
import type { Document } from '../../catalog/document.ts';
import { isReference } from '../../catalog/document-secrets.ts';
import { channelState, routeState, type State } from '../../catalog/publishing/status-states.ts';
import type { BreakerState } from '../../channels/health.ts';
import type { RecentError } from '../../channels/recent-errors.ts';
import { percentileOf, type WindowFigures } from '../../channels/traffic.ts';
import type { UpstreamBalance } from '../../channels/upstream-balances.ts';
import { HOUR_MS } from '../../kit/clock.ts';
import type { TrafficHour } from '../../store/rows.ts';
import { type Newest, readNewest } from './newest.ts';
import { notFound } from './refused.ts';
import type { OperatingTools } from './tools.ts';

interface BreakerView {
  /** The model's name at the upstream. */
  model: string;
  state: 'closed' | 'open' | 'probing';
  /** When it opened; null while it is closed. */
  since: number | null;
  /** Why it opened: `consecutive_failures`, `failure_rate`, `key_refused`, `probe_failed`; null while it is closed. */
  why: string | null;
  /** When the next probe is allowed. */
  retryAt: number | null;
  /** Failures in a row. */
  failures: number;
}

export interface Figures {
  requests: number;
  successRate: number | null;
  /** Exact in the last hour; of stored hours upper bounds, the ends of histogram steps. */
  firstTokenMs: { p50: number | null; p95: number | null };
}

/** One hour, over all models of the channel. */
interface HourView extends Figures {
  /** Start of the hour. */
  at: number;
}

export interface ChannelView {
  name: string;
  kind: string;
  /** Host and port only; empty for the demo channel. */
  baseUrlHost: string;
  endpoints: readonly string[];
  /** The name of its set of peculiarities; `openai` for none. */
  /** Undefined: a generic upstream of its kind. */
  quirks: string | undefined;
  enabled: boolean;
  /** State of its routes in the last hour on this node, as on the public status page; `unknown` on the command line. */
  state: State;
  /** How the document stores its key; the key itself is never shown. */
  apiKey: 'none' | 'reference' | 'stored';
  /** `env:NAME` or `file:PATH`, if the document has a reference. */
  apiKeyReference: string | undefined;
  /** Public ids of the models with a route here, also while it is switched off. */
  models: readonly string[];
  /** Empty on the command line. */
  breakers: readonly BreakerView[];
  /** Newest first, without content; empty on the command line. */
  lastErrors: readonly RecentError[];
  /** The prepaid credit at its vendor; null if the vendor does not say it, or was not asked yet. */
  balance: UpstreamBalance | null;
  /** This node's, from memory; empty on the command line. */
  lastHour: Figures;
  /** From all nodes, read from the store. */
  last24Hours: Figures;
  /** The last 24 hours, oldest first, including those without traffic. */
  hours: readonly HourView[];
}

const HOURS_SHOWN = 24;

export async function listChannels(tools: OperatingTools): Promise<ChannelView[]> {
  const now = Math.floor(tools.clock.now() / HOUR_MS);
  const [newest, hours] = await Promise.all([readNewest(tools), tools.store.read.trafficSince(now - HOURS_SHOWN + 1)]);
  const breakers = tools.node?.health.states() ?? [];
  return [...newest.catalog.channels.values()].map((channel) => {
    const channelHours = hours.filter((hour) => hour.channel === channel.name);
    return {
      ...describe(newest, channel),
      state: stateOfChannel(tools, newest, channel.name, breakers),
      breakers: breakers
        .filter((breaker) => breaker.channel === channel.name)
        .map((breaker) => viewBreaker(tools, breaker)),
      lastErrors: tools.node?.errors.list(channel.name) ?? [],
      balance: tools.node?.balances.get(channel.name) ?? null,
      lastHour: lastHour(tools, channel, modelsOf(newest.document, channel.name)),
      last24Hours: sumHours(channelHours),
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

function describe({ document }: Newest, channel: Channel) {
  const { apiKey } = channel;
  const written = document.channels.find(({ name }) => name === channel.name);
  return {
    name: channel.name,
    kind: channel.kind,
    baseUrlHost: URL.canParse(channel.baseUrl) ? new URL(channel.baseUrl).host : '',
    endpoints: channel.endpoints,
    quirks: written?.quirks,
    enabled: channel.enabled,
    apiKey:
      apiKey === undefined ? ('none' as const) : isReference(apiKey) ? ('reference' as const) : ('stored' as const),
    apiKeyReference: apiKey !== undefined && isReference(apiKey) ? apiKey : undefined,
    models: modelsOf(document, channel.name),
  };
}

function modelsOf({ models }: Document, channel: string): string[] {
  return models.filter(({ routes }) => routes.some((route) => route.channel === channel)).map(({ id }) => id);
}

function viewBreaker({ clock }: OperatingTools, breaker: BreakerState): BreakerView {
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
