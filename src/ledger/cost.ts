// Price arithmetic: whole nano-NT$ times whole tokens, without rounding.

import type { Nano } from '../kit/money.ts';
import type { Prices } from '../kit/prices.ts';
import { LEAST_OUTPUT_TOKENS } from '../kit/tokens.ts';
import type { HoldRequest } from '../store/operations.ts';
import type { Buckets } from '../store/rows.ts';
import { leastOutput } from './thinking-budget.ts';

const BUCKET_PRICES: readonly [bucket: keyof Buckets, price: keyof Prices][] = [
  ['input', 'input'],
  ['cachedInput', 'cachedInput'],
  ['cacheWrite5m', 'cacheWrite5m'],
  ['cacheWrite1h', 'cacheWrite1h'],
  ['output', 'output'],
  ['images', 'image'],
];

export function costOf(buckets: Buckets, prices: Prices): Nano {
  let cost = 0n;
  for (const [bucket, price] of BUCKET_PRICES)
    if (buckets[bucket] !== 0) cost += BigInt(buckets[bucket]) * prices[price];
  return cost;
}

export interface ReceiptLine {
  bucket: string;
  quantity: number;
  unitPrice: Nano;
  amount: Nano;
}

const BUCKET_NAMES: Record<keyof Buckets, string> = {
  input: 'input',
  cachedInput: 'cached_input',
  cacheWrite5m: 'cache_write_5m',
  cacheWrite1h: 'cache_write_1h',
  output: 'output',
  images: 'image',
};

/**
 * The lines sum to `charged`. Two lines have no bucket: `written_off`, below 0, is what the service bears; `loss_guard`
 * is what was charged for losses.
 */
export function receiptLines(buckets: Buckets, prices: Prices, charged: Nano): ReceiptLine[] {
  const lines = BUCKET_PRICES.filter(([bucket]) => buckets[bucket] > 0).map(([bucket, price]) => ({
    bucket: BUCKET_NAMES[bucket],
    quantity: buckets[bucket],
    unitPrice: prices[price],
    amount: BigInt(buckets[bucket]) * prices[price],
  }));
  const rest = charged - costOf(buckets, prices);
  if (rest === 0n) return lines;
  const bucket = rest < 0n ? 'written_off' : 'loss_guard';
  return [...lines, { bucket, quantity: 1, unitPrice: rest, amount: rest }];
}

interface Priced {
  prices: Prices;
}

export interface PaidCall {
  model: Priced;
  /** Models that may answer instead: the highest price counts. */
  candidates: readonly Priced[];
  request: {
    choices: number;
    /** Requested images: their output cannot be cut short, so all of it is held. */
    images: number;
    /** Output tokens reserved for thinking: the output must be longer. */
    thinkingBudget: number | undefined;
  };
  /** The client prefers a refusal to a lowered thinking budget. */
  isStrict: boolean;
}

/**
 * The maximum cost of a call: every input token at the highest input price, every choice at full length. `inputTokens`
 * is an upper bound of what any upstream counts; `outputTokens` is what was requested for one choice.
 */
export function holdFor(call: PaidCall, inputTokens: number, outputTokens: number): HoldRequest {
  const { model, candidates, request, isStrict } = call;
  const { choices, images, thinkingBudget } = request;
  let input = highestInputPrice(model.prices);
  let { output, image } = model.prices;
  for (const { prices } of candidates) {
    input = higherPrice(input, highestInputPrice(prices));
    output = higherPrice(output, prices.output);
    image = higherPrice(image, prices.image);
  }
  return {
    base: BigInt(inputTokens) * input + BigInt(images) * image,
    unit: output * BigInt(choices),
    wanted: outputTokens === 0 ? 0 : Math.max(outputTokens, LEAST_OUTPUT_TOKENS),
    least: images > 0 ? outputTokens : Math.min(outputTokens, leastOutput(thinkingBudget, isStrict)),
  };
}

function highestInputPrice({ input, cachedInput, cacheWrite5m, cacheWrite1h }: Prices): Nano {
  return higherPrice(higherPrice(input, cachedInput), higherPrice(cacheWrite5m, cacheWrite1h));
}

function higherPrice(one: Nano, other: Nano): Nano {
  return other > one ? other : one;
}
