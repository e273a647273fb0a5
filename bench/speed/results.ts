// Combines the figures of all rounds: medians with spread, and the ratios to the bare relay in the same round.

import { COMPARED_WITH, type Figures, METRICS, type MetricName } from './metrics.ts';
import { type Figure, figureOf } from './statistics.ts';
import type { Missing, Target } from './target.ts';

export interface Result {
  figure: Figure;
  /** To the bare relay. */
  ratio: Figure | undefined;
}

export type Results = Record<string, Partial<Record<MetricName, Result>>>;

export interface Run {
  date: string;
  machine: string;
  options: Record<string, unknown>;
  seconds: number;
  targets: Pick<Target, 'name' | 'label' | 'description'>[];
  missing: Missing[];
  results: Results;
}

export const METRIC_NAMES = Object.keys(METRICS) as MetricName[];
const FLOOR = 'bare';
/** Targets that are compared with another one than the bare relay. */
const OTHER_FLOORS: Readonly<Record<string, string>> = { grown: 'young' };

/** `rounds`: the figures by target of each round. */
export function gather(rounds: readonly Readonly<Record<string, Figures>>[]): Results {
  const results: Results = {};
  for (const name of new Set(rounds.flatMap((round) => Object.keys(round)))) {
    const of: Results[string] = {};
    for (const metric of METRIC_NAMES) {
      const values = rounds.flatMap((round) => round[name]?.[metric] ?? []);
      if (values.length === 0) continue;
      const ratios = rounds.flatMap((round) => {
        const other = OTHER_FLOORS[name];
        const floor = other ? round[other]?.[metric] : round[FLOOR]?.[COMPARED_WITH[metric] ?? metric];
        const value = round[name]?.[metric];
        return value === undefined || floor === undefined ? [] : [value / floor];
      });
      of[metric] = { figure: figureOf(values), ratio: ratios.length > 0 ? figureOf(ratios) : undefined };
    }
    results[name] = of;
  }
  return results;
}
