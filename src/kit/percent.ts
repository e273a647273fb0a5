// A share in percent with one decimal, below 100 unless it is exactly 1.

const MOST = 99.9;

export function percentOf(share: number): number {
  return share < 1 ? Math.min(share * 100, MOST) : share * 100;
}
