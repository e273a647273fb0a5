// What real traffic says of each channel and model: successes, failures and times, in sliding windows in memory and in
// hourly sums on their way to the store. Times go into a histogram of fixed steps, so that hours can be added up.

import { type Clock, HOUR_MS } from '../kit/clock.ts';
import { addHours } from '../store/book/traffic.ts';
import type { TrafficHour } from '../store/rows.ts';

const WINDOW_MS = HOUR_MS;
const MAX_SAMPLES = 20_000;

/** Upper bounds in milliseconds; the last step takes everything above. */
export const STEPS_MS = [
  50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 30_000, 60_000, 120_000,
  300_000,
];

export interface Sample {
  channel: string;
  model: string;
  ok: boolean;
  firstTokenMs: number | null;
  totalMs: number | null;
}

export interface WindowFigures {
  requests: number;
  successRate: number | null;
  firstTokenMs: Percentiles;
  totalMs: Percentiles;
}

export interface Percentiles {
  p50: number | null;
  p95: number | null;
}

export interface Traffic {
  record(sample: Sample): void;
  /** Figures of the last `ms`, up to an hour. */
  figures(channel: string, model: string, ms: number): WindowFigures;
  /** Hourly sums since they were last taken; give them back if they could not be stored. */
  takeSums(): TrafficHour[];
  giveBack(sums: readonly TrafficHour[]): void;
}

/** Counted in place until it is taken. */
type OpenHour = TrafficHour & { firstToken: number[]; total: number[] };

export function createTraffic(clock: Clock): Traffic {
  let samples: (Sample & { at: number })[] = [];
  let sums = new Map<string, OpenHour>();

  function hourOf(hour: number, channel: string, model: string): OpenHour {
    const id = `${hour}\n${channel}\n${model}`;
    let known = sums.get(id);
    if (!known) {
      known = { hour, channel, model, ok: 0, failed: 0, firstToken: noSteps(), total: noSteps() };
      sums.set(id, known);
    }
    return known;
  }

  return {
    record({ channel, model, ok, firstTokenMs, totalMs }) {
      samples.push({ channel, model, ok, firstTokenMs, totalMs, at: clock.monotonic() });
      if (samples.length > MAX_SAMPLES) samples = samples.slice(-MAX_SAMPLES / 2);
      const hour = hourOf(Math.floor(clock.now() / HOUR_MS), channel, model);
      if (ok) hour.ok++;
      else hour.failed++;
      countStep(hour.firstToken, firstTokenMs);
      countStep(hour.total, totalMs);
    },
    figures(channel, model, ms) {
      const since = clock.monotonic() - Math.min(ms, WINDOW_MS);
      const own = samples.filter((one) => one.at > since && one.channel === channel && one.model === model);
      return {
        requests: own.length,
        successRate: own.length === 0 ? null : own.filter(({ ok }) => ok).length / own.length,
        firstTokenMs: percentiles(own.map(({ firstTokenMs }) => firstTokenMs)),
        totalMs: percentiles(own.map(({ totalMs }) => totalMs)),
      };
    },
    takeSums() {
      const taken = [...sums.values()];
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

/** The bound of the step in which a share of the counted times lies; null without any. */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let seen = 0;
  const step = counts.findIndex((count) => {
    seen += count;
    return seen >= all * share;
  });
  return STEPS_MS[step] ?? STEPS_MS.at(-1) ?? null;
}

function noSteps(): number[] {
  return Array.from({ length: STEPS_MS.length + 1 }, () => 0);
}

function countStep(counts: number[], ms: number | null): void {
  if (ms === null) return;
  let step = 0;
  while (step < STEPS_MS.length && ms > (STEPS_MS[step] ?? 0)) step++;
  counts[step] = (counts[step] ?? 0) + 1;
}

function percentiles(values: readonly (number | null)[]): Percentiles {
  const sorted = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
  return { p50: round(at(0.5)), p95: round(at(0.95)) };
}

function round(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}
