// Compares this source with that of another commit: both run in the same rounds, and the ratio of a round is less sensitive
// to other work of the machine than the figures are.

import { type Figures, METRICS, type MetricName } from './metrics.ts';
import { METRIC_NAMES } from './results.ts';
import { median, quantile } from './statistics.ts';

export interface Compared {
  metric: MetricName;
  /** This source to the other one; above 1 is worse. */
  ratio: number;
  /** Half of the rounds lie between these. */
  lower: number;
  upper: number;
  isWorse: boolean;
}

const MAX_RATIO = 1.1;
/** A regression is one if three of four rounds show it, too. */
const SURE_RATIO = 1.05;
/** Rates and waits under load follow the machine; CPU, memory and single calls follow the program. */
const NOT_JUDGED = /^(rate|p50_|p99_|loadCpu|slowLate|largeP50|firstTokenP99|ready)/;

export function compare(rounds: readonly Readonly<Record<string, Figures>>[]): Compared[] {
  const spreads = METRIC_NAMES.flatMap((metric) => {
    const ratios = rounds.flatMap(({ sqlite, against }) => {
      const [ours, theirs] = [sqlite?.[metric], against?.[metric]];
      if (ours === undefined || theirs === undefined) return [];
      return METRICS[metric].unit === '/s' ? theirs / ours : ours / theirs;
    });
    if (ratios.length === 0) return [];
    return [{ metric, ratio: median(ratios), lower: quantile(ratios, 0.25), upper: quantile(ratios, 0.75) }];
  });
  const allowed = allowedRatio(spreads);
  return spreads.map((spread) => ({
    ...spread,
    isWorse: !NOT_JUDGED.test(spread.metric) && spread.ratio > allowed && spread.lower > SURE_RATIO,
  }));
}

type Spread = Omit<Compared, 'isWorse'>;

/** Half of the range in which half of the rounds lie, for the median figure. */
function noiseOf(spreads: readonly Spread[]): number {
  return median(spreads.map(({ lower, upper, ratio }) => (upper - lower) / ratio / 2));
}

/** On a busy machine only what is beyond twice its noise is a regression. */
function allowedRatio(spreads: readonly Spread[]): number {
  return Math.max(MAX_RATIO, 1 + 2 * noiseOf(spreads));
}

export function compareReport(ref: string, compared: readonly Compared[]): string {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const worse = compared.filter(({ isWorse }) => isWorse);
  return [
    `This source to ${ref}: median of the rounds’ ratios, and between which half of them lie. Above 1 is worse.`,
    ...compared.map(({ metric, ratio, lower, upper, isWorse }) => {
      const [at, from, to] = [ratio, lower, upper].map((value) => value.toFixed(2));
      const verdict = NOT_JUDGED.test(metric) ? '  not judged' : isWorse ? '  WORSE' : '';
      return `${METRICS[metric].label.padEnd(52)}${at} (${from}–${to})${verdict}`;
    }),
    `Noise: half of the rounds lie within ±${percent(noiseOf(compared))} of the median, for the median figure.`,
    `${worse.length} figures are more than ${percent(allowedRatio(compared) - 1)} worse.`,
  ].join('\n');
}
