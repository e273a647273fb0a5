// The last seven days of every channel and model, in steps of six hours, for the pages of models. Past hours do not change,
// so they are read once a minute.

import { percentileOf, routeId, splitTotal } from '../../channels/traffic.ts';
import { type Clock, HOUR_MS } from '../../kit/clock.ts';
import { OFFSET_MS } from '../../kit/taipei.ts';
import { addHours } from '../../store/book/traffic.ts';
import type { TrafficHour } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';

/** Times are upper bounds of the median: the ends of histogram steps. */
interface SpanFigures {
  successRate: number | null;
  firstTokenMs: number | null;
  wholeMs: number | null;
}

export interface RouteWeek extends SpanFigures {
  /** Oldest first; a step begins at 0, 6, 12 or 18 o'clock in Taipei. */
  steps: readonly (SpanFigures & { at: number })[];
}

export type WeekOf = (channel: string, model: string) => RouteWeek;

const STEP_MS = 6 * HOUR_MS;
const WEEK_STEPS = 28;
const READ_AGAIN_MS = 60_000;

/** While the store does not answer, the last figures are returned. */
export function createWeekTraffic(store: Pick<Store, 'read'>, clock: Clock): () => Promise<WeekOf> {
  let known: { readAt: number; weekOf: WeekOf } | undefined;
  return async () => {
    const readAt = clock.monotonic();
    if (known && readAt - known.readAt < READ_AGAIN_MS) return known.weekOf;
    const first = stepOf(clock.now()) - WEEK_STEPS + 1;
    try {
      const weekOf = collect(await store.read.trafficSince(startOf(first) / HOUR_MS), first);
      known = { readAt, weekOf };
      return weekOf;
    } catch {
      return known?.weekOf ?? collect([], first);
    }
  };
}

/** Steps begin at midnight in Taipei. */
function stepOf(at: number): number {
  return Math.floor((at + OFFSET_MS) / STEP_MS);
}

function startOf(step: number): number {
  return step * STEP_MS - OFFSET_MS;
}

function collect(hours: readonly TrafficHour[], first: number): WeekOf {
  const byRoute = Map.groupBy(hours, ({ channel, model }) => routeId(channel, model));
  return (channel, model) => {
    const own = byRoute.get(routeId(channel, model)) ?? [];
    const byStep = Map.groupBy(own, ({ hour }) => stepOf(hour * HOUR_MS));
    const steps = Array.from({ length: WEEK_STEPS }, (_, index) => first + index);
    return {
      ...figuresOf(own),
      steps: steps.map((step) => ({ at: startOf(step), ...figuresOf(byStep.get(step) ?? []) })),
    };
  };
}

function figuresOf(hours: readonly TrafficHour[]): SpanFigures {
  const [one, ...others] = hours;
  if (!one) return { successRate: null, firstTokenMs: null, wholeMs: null };
  const { ok, failed, firstToken, total } = others.reduce(addHours, one);
  return {
    successRate: ok + failed === 0 ? null : ok / (ok + failed),
    firstTokenMs: percentileOf(firstToken, 0.5),
    wholeMs: percentileOf(splitTotal(total).wholes, 0.5),
  };
}
