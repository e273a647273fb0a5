// Whether something grew in the second half of a soak: the median of the slopes between all pairs of samples, which single
// odd samples do not move, times the length of that half. Answer times: the median of the p99 of the rounds of each half.

import type { Sample } from './soak.ts';

export interface Finding {
  name: Measured | 'p99Ms';
  /** Of the first and the last sample; the medians of the first and the second half for `p99Ms`. */
  first: number;
  last: number;
  /** Over the second half, by the fitted line; of the second half over the first for `p99Ms`. */
  growth: number;
  /** The growth that is allowed. */
  limit: number;
  isGrowing: boolean;
}

interface Tolerance {
  /** Of the median; of the first half for `p99Ms`. */
  share: number;
  /** In the unit of the figure. */
  atLeast: number;
}

type Measured = 'residentMb' | 'heapMb' | 'objects' | 'descriptors' | 'sockets' | 'timers' | 'cpuMsPerAction';

const TOLERANCES: Record<Measured, Tolerance> = {
  residentMb: { share: 0.08, atLeast: 12 },
  heapMb: { share: 0.08, atLeast: 3 },
  // Bounded caches, such as the one of keys, fill up with the accounts that register.
  objects: { share: 0.15, atLeast: 25_000 },
  descriptors: { share: 0, atLeast: 2 },
  sockets: { share: 0, atLeast: 2 },
  // By how many clients the last seconds had.
  timers: { share: 0.5, atLeast: 20 },
  // A round of few actions has more of its CPU in jobs and garbage collection.
  cpuMsPerAction: { share: 0.3, atLeast: 3 },
};
/**
 * Times that double in the course of a run make the second half 40 % slower than the first; so do times that depend on
 * what has piled up. A single odd round changes nothing. Other work of the machine in one half only can exceed the
 * tolerance: then the run has to be repeated.
 */
const P99_TOLERANCE: Tolerance = { share: 0.25, atLeast: 5 };
/** SQLite keeps so much of the database in memory (src/store/sqlite/open-database.ts). */
const PAGE_CACHE_MB = 64;

/** Rows are not judged here: a round of more clients has more of them. None may be kept for too long (short-lived.ts). */
export function judge(samples: readonly Sample[]): Finding[] {
  const measured = (Object.keys(TOLERANCES) as Measured[]).map((figure) =>
    judgeOne(
      figure,
      samples.map((sample) => sample[figure]),
      figure === 'residentMb' ? growthOf(samples.map(({ databaseMb }) => Math.min(databaseMb, PAGE_CACHE_MB))) : 0,
    ),
  );
  return [...measured, judgeTimes(samples)];
}

/** `expected`: growth that has a cause with a bound. */
function judgeOne(name: Measured, values: readonly number[], expected: number): Finding {
  const { share, atLeast } = TOLERANCES[name];
  const growth = growthOf(values);
  const limit = Math.max(atLeast, share * median(secondHalf(values))) + Math.max(0, expected);
  return { name, first: values[0] ?? 0, last: values.at(-1) ?? 0, growth, limit, isGrowing: growth > limit };
}

function judgeTimes(samples: readonly Sample[]): Finding {
  const later = secondHalf(samples);
  const ofHalf = (half: readonly Sample[]) => median(half.map(({ times }) => p99(times)));
  const [first, last] = [ofHalf(samples.slice(0, -later.length)), ofHalf(later)];
  const growth = last - first;
  const limit = Math.max(P99_TOLERANCE.atLeast, P99_TOLERANCE.share * first);
  return { name: 'p99Ms', first, last, growth, limit, isGrowing: growth > limit };
}

export function p99(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

function secondHalf<Value>(values: readonly Value[]): readonly Value[] {
  return values.slice(Math.floor(values.length / 2));
}

function growthOf(values: readonly number[]): number {
  const half = secondHalf(values);
  const slopes = half.flatMap((from, i) => half.slice(i + 1).map((to, gap) => (to - from) / (gap + 1)));
  return median(slopes) * (half.length - 1);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
