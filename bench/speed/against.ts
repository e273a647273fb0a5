// Compares this source with that of another commit: both run in the same rounds, and the ratio of a round is less sensitive
// to other work of the machine than the figures are.

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Figures, METRICS, type MetricName } from './metrics.ts';
import { METRIC_NAMES } from './results.ts';
import type { Stage } from './stage.ts';
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

const ROOT = join(import.meta.dir, '..', '..');
const MAX_RATIO = 1.1;
/** A regression is one if three of four rounds show it, too. */
const SURE_RATIO = 1.05;
/** Rates and waits under load follow the machine; CPU, memory and single calls follow the program. */
const NOT_JUDGED = /^(rate|p50_|p99_|loadCpu|slowLate|largeP50|firstTokenP99|ready)/;

/** The source at `ref`, in a folder of the stage, with this folder's packages. */
export function checkOut(stage: Stage, ref: string): string {
  const folder = join(stage.folder, 'source');
  mkdirSync(folder);
  const archive = `${folder}.tar`;
  run(['git', 'archive', '--output', archive, ref]);
  run(['tar', '-x', '-f', archive, '-C', folder]);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function run(command: readonly string[]): void {
  const { success, stderr } = Bun.spawnSync([...command], { cwd: ROOT });
  if (!success) throw new Error(`${command.join(' ')}: ${stderr.toString().trim()}`);
}

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
      return `${METRICS[metric].label.padEnd(52)}${at} (${from}–${to})${isWorse ? '  WORSE' : ''}`;
    }),
    `Noise: half of the rounds lie within ±${percent(noiseOf(compared))} of the median, for the median figure.`,
    `${worse.length} figures are more than ${percent(allowedRatio(compared) - 1)} worse.`,
  ].join('\n');
}
