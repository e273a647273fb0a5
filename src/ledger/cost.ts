// Price arithmetic: whole nano-NT$ times whole tokens, nothing is ever rounded.

import type { Nano } from '../kit/money.ts';
import { maxNano } from '../kit/money.ts';
import type { Prices } from '../kit/prices.ts';
import type { HoldRequest } from '../store/operations.ts';
import type { Buckets } from '../store/rows.ts';

const BUCKET_PRICES: readonly [bucket: keyof Buckets, price: keyof Prices][] = [
  ['input', 'input'],
  ['cachedInput', 'cachedInput'],
  ['cacheWrite5m', 'cacheWrite5m'],
  ['cacheWrite1h', 'cacheWrite1h'],
  ['output', 'output'],
  ['images', 'image'],
];

export function costOf(buckets: Buckets, prices: Prices): Nano {
  return BUCKET_PRICES.reduce((sum, [bucket, price]) => sum + BigInt(buckets[bucket]) * prices[price], 0n);
}

export interface Bound {
  prices: Prices;
  /** No upstream counts more input than this. */
  inputTokens: number;
  /** Output tokens asked for, of one choice. */
  outputTokens: number;
  choices: number;
}

/** Fewer output tokens than this (or than the client's own smaller number) are not worth a call. */
const LEAST_OUTPUT_TOKENS = 16;

/** The most a request can cost: every input token at the dearest input price, every choice at full length. */
export function holdFor({ prices, inputTokens, outputTokens, choices }: Bound): HoldRequest {
  const dearest = maxNano(prices.input, prices.cachedInput, prices.cacheWrite5m, prices.cacheWrite1h);
  return {
    base: BigInt(inputTokens) * dearest,
    unit: prices.output * BigInt(choices),
    wanted: outputTokens,
    least: Math.min(LEAST_OUTPUT_TOKENS, outputTokens),
  };
}
