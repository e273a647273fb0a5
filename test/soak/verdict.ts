// Whether something grew in the second half of a soak: the median of the slopes between all pairs of samples, which single
// odd samples do not move, times the length of that half.

import type { Sample } from './soak.ts';

export interface Finding {
  name: Figure;
  first: number;
  last: number;
  /** Over the second half, by the fitted line. */
  growth: number;
  /** The growth that is allowed. */
  limit: number;
  isGrowing: boolean;
}

interface Tolerance {
  /** Of the median. */
  share: number;
  /** In the unit of the figure. */
  atLeast: number;
}

type Figure = 'residentMb' | 'heapMb' | 'objects' | 'descriptors' | 'sockets' | 'timers' | 'cpuMsPerAction' | 'p99Ms';

const TOLERANCES: Record<Figure, Tolerance> = {
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
  // Other work of the machine must not fail a run: the CPU shows what slows down, this only what waits.
  p99Ms: { share: 3, atLeast: 250 },
};
/** SQLite keeps so much of the database in memory (src/store/sqlite/open-database.ts). */
const PAGE_CACHE_MB = 64;

/** Rows are not judged here: a round of more clients has more of them. None may be kept for too long (short-lived.ts). */
export function judge(samples: readonly Sample[]): Finding[] {
  return (Object.keys(TOLERANCES) as Figure[]).map((figure) =>
    judgeOne(
      figure,
      samples.map((sample) => sample[figure]),
      figure === 'residentMb' ? growthOf(samples.map(({ databaseMb }) => Math.min(databaseMb, PAGE_CACHE_MB))) : 0,
    ),
  );
}

/** `expected`: growth that has a cause with a bound. */
function judgeOne(name: Figure, values: readonly number[], expected: number): Finding {
  const { share, atLeast } = TOLERANCES[name];
  const growth = growthOf(values);
  const limit = Math.max(atLeast, share * median(secondHalf(values))) + Math.max(0, expected);
  return { name, first: values[0] ?? 0, last: values.at(-1) ?? 0, growth, limit, isGrowing: growth > limit };
}

function secondHalf(values: readonly number[]): readonly number[] {
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
