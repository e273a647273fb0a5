// The axis of a chart: round steps from below the lowest value to above the highest, with zero always among them.

export interface Scale {
  /** The values at the grid lines, highest first. */
  ticks: readonly number[];
  /** The distance of a value from the top, in percent of the height. */
  below: (value: number) => number;
}

const STEPS = 4;
const ROUND = [1, 2, 2.5, 5, 10];
const PERCENT = 100;

/** `isWhole` for what is counted: there is no grid line at half a request. */
export function scaleOf(lowest: number, highest: number, isWhole: boolean): Scale {
  const step = roundStep((Math.max(0, highest) - Math.min(0, lowest)) / STEPS, isWhole);
  // A quotient that is whole but for its last bits must not add a grid line.
  const top = Math.ceil(Math.max(0, highest) / step - Number.EPSILON * STEPS) || 0;
  const bottom = Math.floor(Math.min(0, lowest) / step + Number.EPSILON * STEPS) || 0;
  const lines = Math.max(1, top - bottom);
  return {
    ticks: Array.from({ length: lines + 1 }, (_, index) => (bottom + lines - index) * step),
    below: (value) => PERCENT * (1 - (value / step - bottom) / lines),
  };
}

function roundStep(least: number, isWhole: boolean): number {
  if (least <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * (ROUND.find((factor) => factor * power >= least) ?? 10);
  return isWhole ? Math.max(1, Math.ceil(step)) : step;
}
