// Traffic figures per channel and model: successes, failures and times, of the last hour in memory and as hourly sums
// for the store. Times go into a histogram with fixed steps, so that hours can be added.

import { type Clock, HOUR_MS } from '../kit/clock.ts';
import { addHours } from '../store/book/traffic.ts';
import type { TrafficHour } from '../store/rows.ts';
import { PairMap } from './pair-map.ts';

/** Upper bounds in milliseconds; the last step takes everything above, up to the hour that a stream may take. */
export const STEPS_MS = [
  50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 30_000, 60_000, 120_000,
  300_000,
];
const ALL_STEPS = STEPS_MS.length + 1;

/** A whole answer has no first token. */
interface Times {
  firstTokenMs: number | null;
  totalMs: number | null;
}

export interface Sample extends Times {
  channel: string;
  model: string;
  ok: boolean;
}

/** Updated in place until it is taken. */
type OpenHour = TrafficHour & { firstToken: number[]; total: number[] };

interface RouteTraffic {
  recent: RecentTraffic;
  /** By the hour. */
  sums: Map<number, OpenHour>;
}

export type Traffic = ReturnType<typeof createTraffic>;

export function createTraffic(clock: Clock) {
  const routes = new PairMap<RouteTraffic>();

  function routeOf(channel: string, model: string): RouteTraffic {
    const known = routes.get(channel, model);
    if (known) return known;
    // Drops routes that documents no longer have.
    const at = clock.monotonic();
    routes.deleteWhere(({ recent, sums }) => sums.size === 0 && recent.isOver(at));
    const begun = { recent: new RecentTraffic(), sums: new Map() };
    routes.set(channel, model, begun);
    return begun;
  }

  function hourOf({ sums }: RouteTraffic, hour: number, channel: string, model: string): OpenHour {
    const known = sums.get(hour);
    if (known) return known;
    const begun = { hour, channel, model, ok: 0, failed: 0, firstToken: noSteps(1), total: noSteps(2) };
    sums.set(hour, begun);
    return begun;
  }

  return {
    record(sample: Sample): void {
      const { channel, model, ok } = sample;
      const route = routeOf(channel, model);
      route.recent.record(clock.monotonic(), ok, sample);
      const hour = hourOf(route, Math.floor(clock.now() / HOUR_MS), channel, model);
      if (ok) hour.ok++;
      else hour.failed++;
      countStep(hour.firstToken, sample.firstTokenMs);
      countStep(hour.total, sample.totalMs, isStream(sample) ? 0 : ALL_STEPS);
    },
    /** Figures of the last `ms`, at most an hour, rounded to ten seconds. */
    figures(channel: string, model: string, ms: number): WindowFigures {
      const since = clock.monotonic() - Math.min(ms, HOUR_MS);
      return (routes.get(channel, model)?.recent ?? NO_TRAFFIC).figures(since);
    },
    /** Hourly sums since the last call; return them if storing fails. */
    takeSums(): TrafficHour[] {
      const taken = [...routes.values()].flatMap(({ sums }) => [...sums.values()]);
      for (const { sums } of routes.values()) sums.clear();
      return taken;
    },
    giveBack(taken: readonly TrafficHour[]): void {
      for (const sum of taken) {
        const hour = hourOf(routeOf(sum.channel, sum.model), sum.hour, sum.channel, sum.model);
        Object.assign(hour, addHours(hour, sum));
      }
    },
  };
}

const STEP_MS = 10_000;
/** One hour plus the current step. */
const STEPS = HOUR_MS / STEP_MS + 1;
/** More would add little, and sorting them would delay running streams. */
const MAX_TIMES = 200;

export interface WindowFigures {
  requests: number;
  successRate: number | null;
  /** Time to first token of streams. */
  firstTokenMs: Percentiles;
  totalMs: Percentiles;
  /** The total time of answers that were not streamed: these take less than the first token of a long stream. */
  wholeMs: Percentiles;
}

type Percentiles = Record<'p50' | 'p95', number | null>;

/**
 * The last hour of one route: successes and failures in steps of ten seconds, and recent response times. Memory and time to
 * read it do not grow with the traffic.
 */
class RecentTraffic {
  /** A ring buffer: a step replaces the one of an hour before. */
  readonly #steps: ({ number: number; ok: number; failed: number } | undefined)[] = [];
  readonly #times: (Times & { at: number })[] = [];
  #nextTimes = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** `at`: monotonic time. */
  record(at: number, ok: boolean, { firstTokenMs, totalMs }: Times): void {
    this.#lastAt = at;
    const step = this.#stepAt(at);
    if (ok) step.ok++;
    else step.failed++;
    if (firstTokenMs === null && totalMs === null) return;
    this.#times[this.#nextTimes] = { at, firstTokenMs, totalMs };
    this.#nextTimes = (this.#nextTimes + 1) % MAX_TIMES;
  }

  /** Sums the steps since `since`, at most an hour ago. */
  figures(since: number): WindowFigures {
    let ok = 0;
    let failed = 0;
    for (const step of this.#steps) {
      if (!step || step.number * STEP_MS <= since) continue;
      ok += step.ok;
      failed += step.failed;
    }
    const requests = ok + failed;
    const times = this.#times.filter(({ at }) => at > since);
    const [streams, wholes] = [times.filter(isStream), times.filter((one) => !isStream(one))];
    return {
      requests,
      successRate: requests === 0 ? null : ok / requests,
      firstTokenMs: percentiles(streams.map(({ firstTokenMs }) => firstTokenMs)),
      totalMs: percentiles(streams.map(({ totalMs }) => totalMs)),
      wholeMs: percentiles(wholes.map(({ totalMs }) => totalMs)),
    };
  }

  /** Whether everything has expired. */
  isOver(at: number): boolean {
    return at - this.#lastAt > HOUR_MS;
  }

  #stepAt(at: number) {
    const number = Math.floor(at / STEP_MS);
    // A clock may start below zero.
    const place = ((number % STEPS) + STEPS) % STEPS;
    let step = this.#steps[place];
    if (step?.number !== number) {
      step = { number, ok: 0, failed: 0 };
      this.#steps[place] = step;
    }
    return step;
  }
}

const NO_TRAFFIC = new RecentTraffic();

function isStream({ firstTokenMs }: Times): boolean {
  return firstTokenMs !== null;
}

function percentiles(values: readonly (number | null)[]): Percentiles {
  const sorted = Float64Array.from(values.filter((value) => value !== null)).sort();
  const at = (share: number) => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    return value === undefined ? null : Math.round(value);
  };
  return { p50: at(0.5), p95: at(0.95) };
}

/** The name of a channel's route to a model. */
export function routeId(channel: string, model: string): string {
  return `${channel}\n${model}`;
}

/** An upper bound: the end of the step that contains the percentile; null without data. */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let seen = 0;
  const step = counts.findIndex((count) => {
    seen += count;
    return seen >= all * share;
  });
  return STEPS_MS[step] ?? HOUR_MS;
}

/** `total` of an hour is two histograms, of streams and of whole answers. Of an hour of an earlier version it is one of both. */
export function splitTotal(total: readonly number[]): { streams: readonly number[]; wholes: readonly number[] } {
  return { streams: total.slice(0, ALL_STEPS), wholes: total.slice(ALL_STEPS) };
}

function noSteps(histograms: number): number[] {
  return Array.from({ length: histograms * ALL_STEPS }, () => 0);
}

function countStep(counts: number[], ms: number | null, from = 0): void {
  if (ms === null) return;
  let step = 0;
  while (step < STEPS_MS.length && ms > (STEPS_MS[step] ?? 0)) step++;
  counts[from + step] = (counts[from + step] ?? 0) + 1;
}
