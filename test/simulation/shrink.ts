// Finds fewer faults with which a failing seed still fails: halves are left out first, then single ones.

import type { Mishap } from './misfortune.ts';
import { type SimulationReport, simulate } from './simulate.ts';

export async function shrink({ seed, mishaps }: SimulationReport, minutes: number): Promise<readonly Mishap[]> {
  const fails = async (some: readonly Mishap[]) =>
    (await simulate({ seed, minutes, mishaps: some })).problems.length > 0;
  let least = mishaps;
  for (let size = Math.ceil(least.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let first = 0; first < least.length; ) {
      const others = [...least.slice(0, first), ...least.slice(first + size)];
      if (others.length < least.length && (await fails(others))) least = others;
      else first += size;
    }
  }
  return least;
}
