// Traffic figures per channel and model: successes, failures and times, of the last hour in memory and as hourly sums
// for the store. Times go into a histogram with fixed steps, so that hours can be added.

import { type Clock, HOUR_MS } from '../kit/clock.ts';
import { addHours } from '../store/book/traffic.ts';
import type { TrafficHour } from '../store/rows.ts';
import { PairMap } from './pair-map.ts';
import { isStream, NO_FIGURES, RecentTraffic, type Times, type WindowFigures } from './recent-traffic.ts';

/** Upper bounds in milliseconds; the last step takes everything above, up to the hour that a stream may take. */
export const STEPS_MS = [
  50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 30_000, 60_000, 120_000,
  300_000,
];

export interface Sample extends Times {
  channel: string;
  model: string;
  ok: boolean;
}

export interface Traffic {
  record(sample: Sample): void;
  /** Figures of the last `ms`, at most an hour, rounded to ten seconds. */
  figures(channel: string, model: string, ms: number): WindowFigures;
  /** Hourly sums since the last call; return them if storing fails. */
  takeSums(): TrafficHour[];
  giveBack(sums: readonly TrafficHour[]): void;
}

/** Updated in place until it is taken. */
type OpenHour = TrafficHour & { firstToken: number[]; total: number[] };

export function createTraffic(clock: Clock): Traffic {
  const recent = new PairMap<RecentTraffic>();
  /** By the hour. */
  let sums = new Map<number, PairMap<OpenHour>>();

  function sumsOf(hour: number): PairMap<OpenHour> {
    const known = sums.get(hour);
    if (known) return known;
    const begun = new PairMap<OpenHour>();
    sums.set(hour, begun);
    return begun;
  }

  function hourOf(hour: number, channel: string, model: string): OpenHour {
    const ofHour = sumsOf(hour);
    const known = ofHour.get(channel, model);
    if (known) return known;
    const begun = { hour, channel, model, ok: 0, failed: 0, firstToken: noSteps(1), total: noSteps(2) };
    ofHour.set(channel, model, begun);
    return begun;
  }

  function recentOf(channel: string, model: string, at: number): RecentTraffic {
    const known = recent.get(channel, model);
    if (known) return known;
    forgetOver(at);
    const begun = new RecentTraffic();
    recent.set(channel, model, begun);
    return begun;
  }

  /** Drops routes that documents no longer have. */
  function forgetOver(at: number): void {
    recent.deleteWhere((traffic) => traffic.isOver(at));
  }

  return {
    record(sample) {
      const { channel, model, ok } = sample;
      const at = clock.monotonic();
      recentOf(channel, model, at).record(at, ok, sample);
      const hour = hourOf(Math.floor(clock.now() / HOUR_MS), channel, model);
      if (ok) hour.ok++;
      else hour.failed++;
      countStep(hour.firstToken, sample.firstTokenMs);
      countStep(hour.total, sample.totalMs, isStream(sample) ? 0 : ALL_STEPS);
    },
    figures(channel, model, ms) {
      const since = clock.monotonic() - Math.min(ms, HOUR_MS);
      return recent.get(channel, model)?.figures(since) ?? NO_FIGURES;
    },
    takeSums() {
      const taken = [...sums.values()].flatMap((ofHour) => [...ofHour.values()]);
      sums = new Map();
      return taken;
    },
    giveBack(taken) {
      for (const sum of taken) {
        const hour = hourOf(sum.hour, sum.channel, sum.model);
        Object.assign(hour, addHours(hour, sum));
      }
    },
  };
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

const ALL_STEPS = STEPS_MS.length + 1;

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
