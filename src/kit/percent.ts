// A share in percent, for one decimal: what is not whole never reads as 100.

const MOST = 99.9;

export function percentOf(share: number): number {
  return share < 1 ? Math.min(share * 100, MOST) : share * 100;
}
