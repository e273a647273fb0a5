// The last hour of one route: successes and failures in steps of ten seconds, and recent response times. Memory and
// time to read it do not grow with the traffic.

import { HOUR_MS } from '../kit/clock.ts';

const STEP_MS = 10_000;
/** One hour plus the current step. */
const STEPS = HOUR_MS / STEP_MS + 1;
/** More would add little, and sorting them would delay running streams. */
const MAX_TIMES = 200;

/** A whole answer has no first token. */
export interface Times {
  firstTokenMs: number | null;
  totalMs: number | null;
}

export interface WindowFigures {
  requests: number;
  successRate: number | null;
  /** Time to first token of streams. */
  firstTokenMs: Percentiles;
  totalMs: Percentiles;
  /** The total time of answers that were not streamed: these take less than the first token of a long stream. */
  wholeMs: Percentiles;
}

interface Percentiles {
  p50: number | null;
  p95: number | null;
}

interface Step {
  number: number;
  ok: number;
  failed: number;
}

export class RecentTraffic {
  /** A ring buffer: a step replaces the one of an hour before. */
  readonly #steps: (Step | undefined)[] = [];
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

  #stepAt(at: number): Step {
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

export const NO_FIGURES: WindowFigures = {
  requests: 0,
  successRate: null,
  firstTokenMs: { p50: null, p95: null },
  totalMs: { p50: null, p95: null },
  wholeMs: { p50: null, p95: null },
};

export function isStream({ firstTokenMs }: Times): boolean {
  return firstTokenMs !== null;
}

function percentiles(values: readonly (number | null)[]): Percentiles {
  const sorted = Float64Array.from(values.filter((value) => value !== null)).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: round(at(0.5)), p95: round(at(0.95)) };
}

function round(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value);
}
