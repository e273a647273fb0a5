// A share in percent with one decimal, below 100 unless it is exactly 1.

const MAX_PERCENT = 99.9;

export function percentOf(share: number): number {
  return share < 1 ? Math.min(share * 100, MAX_PERCENT) : share * 100;
}
