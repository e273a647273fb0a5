// The last 90 Taipei days of every channel and model. Past days do not change, so they are read once a minute.

import { routeId } from '../../channels/traffic.ts';
import { type Clock, DAY_MS } from '../../kit/clock.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import type { TrafficDay } from '../../store/reads.ts';
import type { Store } from '../../store/store.ts';
import { type State, stateOf } from './status-states.ts';

export interface DayState {
  /** The date in Taipei: 2026-11-15. */
  day: string;
  state: State;
}

/** Oldest first, today last; a day without traffic is unknown. */
export type DaysOf = (channel: string, model: string) => DayState[];

export const STATUS_DAYS = 90;
const READ_AGAIN_MS = 60_000;

export function createStatusDays(store: Pick<Store, 'read'>, clock: Clock): () => Promise<DaysOf> {
  let known: { today: number; readAt: number; daysOf: DaysOf } | undefined;
  return async () => {
    const today = taipeiDay(clock.now());
    const readAt = clock.monotonic();
    if (known && known.today === today && readAt - known.readAt < READ_AGAIN_MS) return known.daysOf;
    try {
      const daysOf = collect(await store.read.trafficDays(today - STATUS_DAYS + 1), today);
      known = { today, readAt, daysOf };
      return daysOf;
    } catch {
      return known?.today === today ? known.daysOf : collect([], today);
    }
  };
}

function collect(days: readonly TrafficDay[], today: number): DaysOf {
  const byRoute = Map.groupBy(days, ({ channel, model }) => routeId(channel, model));
  return (channel, model) => {
    const served = byRoute.get(routeId(channel, model))?.filter(({ ok, failed }) => ok + failed > 0) ?? [];
    const rates = new Map(served.map(({ day, ok, failed }) => [day, ok / (ok + failed)]));
    return Array.from({ length: STATUS_DAYS }, (_, index) => {
      const day = today - STATUS_DAYS + 1 + index;
      return { day: new Date(day * DAY_MS).toISOString().slice(0, 10), state: stateOf(rates.get(day) ?? null) };
    });
  };
}
