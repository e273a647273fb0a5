// The state of every model and channel from real traffic: now, by hour and by day; and the operator's incidents. The
// API and the page show the same data. It is public, and counting an hour's traffic takes time that running streams
// need, so results are cached for a few seconds.

import type { BreakerState, Health } from '../../channels/health.ts';
import { percentileOf, routeId, splitTotal, type Traffic, type WindowFigures } from '../../channels/traffic.ts';
import { type Clock, HOUR_MS, MINUTE_MS } from '../../kit/clock.ts';
import type { Incident, TrafficHour } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { Catalog, Model } from '../catalog.ts';
import { createStatusDays, type DayState, type DaysOf } from './status-days.ts';
import { bestState, routeState, type State } from './status-states.ts';

export interface StatusTools {
  store: Pick<Store, 'read'>;
  clock: Clock;
  catalog(): Catalog;
  health: Pick<Health, 'states'>;
  traffic: Pick<Traffic, 'figures'>;
}

/** One hour of a channel; its times are upper bounds, the ends of histogram steps. */
export interface HourFigures extends WindowFigures {
  /** Hours since the epoch. */
  hour: number;
}

export interface ChannelStatus {
  name: string;
  state: State;
  last5Minutes: WindowFigures;
  lastHour: WindowFigures;
  /** The last 24 hours that had traffic, oldest first. */
  hours: readonly HourFigures[];
  /** The last 90 days, oldest first. */
  days: readonly DayState[];
}

export interface ModelStatus {
  id: string;
  free: boolean;
  demo: boolean;
  state: State;
  channels: readonly ChannelStatus[];
}

export interface PublicStatus {
  at: number;
  models: readonly ModelStatus[];
  /** Newest first. */
  incidents: readonly Incident[];
}

const FIVE_MINUTES_MS = 5 * MINUTE_MS;
const HISTORY_HOURS = 24;
const INCIDENTS_SHOWN = 50;
const FIGURES_KEPT_MS = 5_000;
/** The operator's changes, and a store that is back, show within a second. */
const SHORT_MS = 900;

/** While the store does not answer, only this node's figures are shown. */
export function createPublicStatus(tools: StatusTools): () => Promise<PublicStatus> {
  const { store, clock, catalog, health } = tools;
  const readDays = createStatusDays(store, clock);
  const readFigures = async () => {
    const at = clock.now();
    const [stored, daysOf] = await Promise.all([
      store.read.trafficSince(Math.floor(at / HOUR_MS) - HISTORY_HOURS + 1).catch(() => undefined),
      readDays(),
    ]);
    const breakers = health.states();
    const hours = Map.groupBy(stored ?? [], ({ channel, model }) => routeId(channel, model));
    const sources = { breakers, hours, daysOf };
    const models = catalog().models.map((model) => modelStatus(tools, model, sources));
    return { at, models, isWhole: stored !== undefined };
  };
  const readIncidents = () => store.read.incidents(INCIDENTS_SHOWN).catch(() => []);
  const figures = cacheFor(clock, readFigures, ({ isWhole }) => (isWhole ? FIGURES_KEPT_MS : SHORT_MS));
  const incidents = cacheFor(clock, readIncidents, () => SHORT_MS);
  return async () => {
    // A new revision has other models and channels, so it is not served from the cache.
    const [{ at, models }, shown] = await Promise.all([figures(catalog().revision), incidents()]);
    return { at, models, incidents: shown };
  };
}

interface Kept<Value> {
  revision: number | undefined;
  /** Monotonic time; callers during a read share it. */
  until: number;
  value: Promise<Value>;
}

/** Caches a read for `keptMs`, for one revision. */
function cacheFor<Value>(
  clock: Clock,
  read: () => Promise<Value>,
  keptMs: (value: Value) => number,
): (revision?: number) => Promise<Value> {
  let kept: Kept<Value> | undefined;
  async function readAnew(revision: number | undefined): Promise<Value> {
    const since = clock.monotonic();
    const entry = { revision, until: Number.POSITIVE_INFINITY, value: read() };
    kept = entry;
    try {
      const value = await entry.value;
      entry.until = since + keptMs(value);
      return value;
    } catch (error) {
      entry.until = since;
      throw error;
    }
  }
  return (revision) =>
    kept && kept.revision === revision && clock.monotonic() < kept.until ? kept.value : readAnew(revision);
}

interface Sources {
  breakers: readonly BreakerState[];
  /** By route. */
  hours: ReadonlyMap<string, readonly TrafficHour[]>;
  daysOf: DaysOf;
}

function modelStatus({ traffic }: StatusTools, model: Model, { breakers, hours, daysOf }: Sources): ModelStatus {
  const channels = model.routes.map(({ channel: { name }, model: upstreamModel }): ChannelStatus => {
    const breaker = breakers.find(({ channel, model: served }) => channel === name && served === upstreamModel);
    const lastHour = traffic.figures(name, model.id, HOUR_MS);
    return {
      name,
      state: routeState(lastHour.successRate, breaker?.state),
      last5Minutes: traffic.figures(name, model.id, FIVE_MINUTES_MS),
      lastHour,
      hours: hours.get(routeId(name, model.id))?.map(hourFigures) ?? [],
      days: daysOf(name, model.id),
    };
  });
  const { id, free, demo } = model;
  return { id, free, demo, state: bestState(channels.map(({ state }) => state)), channels };
}

function hourFigures({ hour, ok, failed, firstToken, total }: TrafficHour): HourFigures {
  const requests = ok + failed;
  const { streams, wholes } = splitTotal(total);
  const percentiles = (counts: readonly number[]) => ({
    p50: percentileOf(counts, 0.5),
    p95: percentileOf(counts, 0.95),
  });
  return {
    hour,
    requests,
    successRate: requests === 0 ? null : ok / requests,
    firstTokenMs: percentiles(firstToken),
    totalMs: percentiles(streams),
    wholeMs: percentiles(wholes),
  };
}
