// Medians with their spread.

export interface Figure {
  median: number;
  least: number;
  most: number;
  /** One per round. */
  values: number[];
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export function figureOf(values: readonly number[]): Figure {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values), values: [...values] };
}
