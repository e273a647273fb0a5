// How every model and channel is doing, from real traffic: now, hour by hour, and day by day; and what the operator tells.
// The API and the page show the same facts. Anybody may ask, as often as they like: to count an hour's traffic takes time
// that running streams need, so it is done every few seconds at most.

import type { BreakerState, Health } from '../../channels/health.ts';
import type { WindowFigures } from '../../channels/recent-traffic.ts';
import { percentileOf, routeId, type Traffic } from '../../channels/traffic.ts';
import { type Clock, HOUR_MS, MINUTE_MS } from '../../kit/clock.ts';
import type { Incident, TrafficHour } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { Catalog, Model } from '../catalog.ts';
import { createStatusDays, type DayState, type DaysOf } from './status-days.ts';
import { bestState, type State, stateOf } from './status-states.ts';

export interface StatusTools {
  store: Pick<Store, 'read'>;
  clock: Clock;
  catalog(): Catalog;
  health: Pick<Health, 'states'>;
  traffic: Pick<Traffic, 'figures'>;
}

/** One hour of a channel; its times are steps of a histogram. */
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
/** What the operator writes is seen within a second, and so is a store that is back. */
const SHORT_MS = 900;

/** While the store does not answer, the figures of this node are told all the same. */
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
  const figures = keepFor(clock, readFigures, ({ isWhole }) => (isWhole ? FIGURES_KEPT_MS : SHORT_MS));
  const incidents = keepFor(clock, readIncidents, () => SHORT_MS);
  return async () => {
    // Of another revision, other models and channels are told.
    const [{ at, models }, told] = await Promise.all([figures(catalog().revision), incidents()]);
    return { at, models, incidents: told };
  };
}

interface Kept<Value> {
  revision: number | undefined;
  /** By the monotonic clock; while it is being read, whoever asks waits for the same. */
  until: number;
  value: Promise<Value>;
}

/** What was read lately, for whomever, is told again, as long as it is of the same revision. */
function keepFor<Value>(
  clock: Clock,
  read: () => Promise<Value>,
  keptMs: (value: Value) => number,
): (revision?: number) => Promise<Value> {
  let kept: Kept<Value> | undefined;
  async function readAnew(revision: number | undefined): Promise<Value> {
    const since = clock.monotonic();
    const own = { revision, until: Number.POSITIVE_INFINITY, value: read() };
    kept = own;
    try {
      const value = await own.value;
      own.until = since + keptMs(value);
      return value;
    } catch (error) {
      own.until = since;
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
    const breaker = breakers.find((one) => one.channel === name && one.model === upstreamModel);
    const lastHour = traffic.figures(name, model.id, HOUR_MS);
    const isClosed = (breaker?.state ?? 'closed') === 'closed';
    return {
      name,
      state: isClosed ? stateOf(lastHour.successRate) : 'down',
      last5Minutes: traffic.figures(name, model.id, FIVE_MINUTES_MS),
      lastHour,
      hours: hours.get(routeId(name, model.id))?.map(hourFigures) ?? [],
      days: daysOf(name, model.id),
    };
  });
  return { id: model.id, free: model.free, state: bestState(channels.map(({ state }) => state)), channels };
}

function hourFigures({ hour, ok, failed, firstToken, total }: TrafficHour): HourFigures {
  const requests = ok + failed;
  const percentiles = (counts: readonly number[]) => ({
    p50: percentileOf(counts, 0.5),
    p95: percentileOf(counts, 0.95),
  });
  return {
    hour,
    requests,
    successRate: requests === 0 ? null : ok / requests,
    firstTokenMs: percentiles(firstToken),
    totalMs: percentiles(total),
  };
}
