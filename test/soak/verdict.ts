// Whether something grew in the second half of a soak: the median of the slopes between all pairs of samples, which single
// odd samples do not move, times the length of that half.

import type { Sample } from './soak.ts';

export interface Finding {
  name: string;
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
  objects: { share: 0.06, atLeast: 8_000 },
  descriptors: { share: 0, atLeast: 2 },
  sockets: { share: 0, atLeast: 2 },
  // By how many clients the last seconds had.
  timers: { share: 0.5, atLeast: 20 },
  // A round of few actions has more of its CPU in jobs and garbage collection.
  cpuMsPerAction: { share: 0.5, atLeast: 3 },
  // Other work of the machine must not fail a run: the CPU shows what slows down, this only what waits.
  p99Ms: { share: 3, atLeast: 250 },
};
/** A round on a busy machine has fewer calls, and fewer rows. */
const OF_ROWS: Tolerance = { share: 0.4, atLeast: 25 };

export function judge(samples: readonly Sample[]): Finding[] {
  const tables = [...(samples[0]?.rows.keys() ?? [])];
  return [
    ...(Object.keys(TOLERANCES) as Figure[]).map((figure) =>
      judgeOne(
        figure,
        samples.map((sample) => sample[figure]),
        TOLERANCES[figure],
      ),
    ),
    ...tables.map((table) =>
      judgeOne(
        `rows of ${table}`,
        samples.map(({ rows }) => rows.get(table)?.rows ?? 0),
        OF_ROWS,
      ),
    ),
  ];
}

function judgeOne(name: string, values: readonly number[], { share, atLeast }: Tolerance): Finding {
  const half = values.slice(Math.floor(values.length / 2));
  const slopes = half.flatMap((from, i) => half.slice(i + 1).map((to, gap) => (to - from) / (gap + 1)));
  const growth = median(slopes) * (half.length - 1);
  const limit = Math.max(atLeast, share * median(half));
  return { name, first: values[0] ?? 0, last: values.at(-1) ?? 0, growth, limit, isGrowing: growth > limit };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
