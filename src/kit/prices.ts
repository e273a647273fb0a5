// Prices per unit in nano-NT$: a token of each bucket, or an image. Integers, because catalog prices have at most three
// decimals per million tokens.

import type { Nano } from './money.ts';

export interface Prices {
  input: Nano;
  cachedInput: Nano;
  cacheWrite5m: Nano;
  cacheWrite1h: Nano;
  output: Nano;
  image: Nano;
}

export const FREE: Prices = {
  input: 0n,
  cachedInput: 0n,
  cacheWrite5m: 0n,
  cacheWrite1h: 0n,
  output: 0n,
  image: 0n,
};
