// Finds a shorter run with fewer faults in which a failing seed still breaks the same invariant: first the time is halved,
// then halves of the faults are left out, then single ones.

import type { InjectedFailure } from './failure-kinds.ts';
import { type SimulationReport, simulate } from './simulate.ts';

/** Below this, hardly a call ends before the end. */
const LEAST_MINUTES = 0.25;

export interface Shrunk {
  minutes: number;
  /** Of the smallest run that fails. */
  report: SimulationReport;
}

/** `failed` has a violation. */
export async function shrink(failed: SimulationReport, minutes: number): Promise<Shrunk> {
  const { seed } = failed;
  const least: Shrunk = { minutes, report: failed };

  async function fails(some: readonly InjectedFailure[], during: number): Promise<boolean> {
    const report = await simulate({ seed, minutes: during, failures: some });
    if (!isSameFailure(failed, report)) return false;
    Object.assign(least, { minutes: during, report });
    return true;
  }

  for (let half = minutes / 2; half >= LEAST_MINUTES; half /= 2) {
    const early = failed.failures.filter(({ at }) => at < half * 60_000);
    if (!(await fails(early, half))) break;
  }
  for (let size = Math.ceil(least.report.failures.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let first = 0; first < least.report.failures.length; ) {
      const { failures } = least.report;
      const others = [...failures.slice(0, first), ...failures.slice(first + size)];
      if (!(await fails(others, least.minutes))) first += size;
    }
  }
  return least;
}

/** The first broken invariant decides: others may follow from it. */
export function isSameFailure(one: SimulationReport, other: SimulationReport): boolean {
  const [first] = one.violations;
  return first !== undefined && other.violations.some(({ invariant }) => invariant === first.invariant);
}
