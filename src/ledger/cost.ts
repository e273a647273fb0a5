// Price arithmetic: whole nano-NT$ times whole units, without rounding.

import { maxNano, type Nano } from '../kit/money.ts';
import {
  type ChargedTerms,
  higherPrices,
  highestPrices,
  type ListPrices,
  type Prices,
  pricesFor,
  type ToolCalls,
} from '../kit/prices.ts';
import { MIN_OUTPUT_TOKENS } from '../kit/tokens.ts';
import type { HoldRequest } from '../store/operations.ts';
import type { Buckets } from '../store/rows.ts';
import { leastOutput } from './thinking-budget.ts';

/** Each with its price, and its name in receipts. */
const PRICED_BUCKETS: readonly [bucket: keyof Buckets, price: keyof Prices, name: string][] = [
  ['input', 'input', 'input'],
  ['cachedInput', 'cachedInput', 'cached_input'],
  ['cacheWrite5m', 'cacheWrite5m', 'cache_write_5m'],
  ['cacheWrite1h', 'cacheWrite1h', 'cache_write_1h'],
  ['output', 'output', 'output'],
  ['images', 'image', 'image'],
  ['seconds', 'second', 'second'],
  ['characters', 'character', 'character'],
  ['searches', 'search', 'search'],
];

/** Whether something of this bucket costs anything. */
export function hasPrice(bucket: keyof Buckets, prices: Prices): boolean {
  return PRICED_BUCKETS.some(([name, price]) => name === bucket && prices[price] > 0n);
}

/** At the prices of one request. */
export function costAt(used: Buckets, prices: Prices): Nano {
  let cost = 0n;
  for (const [bucket, price] of PRICED_BUCKETS) {
    const quantity = used[bucket];
    if (quantity) cost += BigInt(quantity) * prices[price];
  }
  return cost;
}

/** Cost of a whole request: its input decides which prices apply. */
export function costOf(
  used: Buckets,
  list: ListPrices,
  serviceTier: string | null = null,
  calls: ToolCalls | null | undefined = null,
): Nano {
  return costAt(used, pricesFor(list, inputOf(used), serviceTier)) + feesOf(calls, list);
}

/** Input of every price. */
export function inputOf({ input, cachedInput, cacheWrite5m, cacheWrite1h }: Buckets): number {
  return input + cachedInput + cacheWrite5m + cacheWrite1h;
}

export function feesOf(calls: ToolCalls | null | undefined, { rules }: ListPrices): Nano {
  if (!calls || !rules) return 0n;
  return Object.entries(calls).reduce((sum, [tool, count]) => sum + BigInt(count) * (rules.tools.get(tool) ?? 0n), 0n);
}

/** The calls that have a price; null if none has. */
export function pricedCalls(calls: ToolCalls | null | undefined, { rules }: ListPrices): ToolCalls | null {
  if (!calls || !rules) return null;
  const priced = Object.entries(calls).filter(([tool, count]) => count > 0 && rules.tools.has(tool));
  return priced.length === 0 ? null : Object.fromEntries(priced);
}

export interface ReceiptLine {
  /** A bucket, or `tool:` and the name of a tool. */
  bucket: string;
  quantity: number;
  unitPrice: Nano;
  amount: Nano;
}

/**
 * The lines sum to `charged`. Two lines have no bucket: `written_off`, below 0, is the part that the service pays;
 * `loss_guard` was charged for losses.
 */
export function receiptLines(
  record: Buckets & Omit<ChargedTerms, 'pricedAt'>,
  list: ListPrices,
  charged: Nano,
): ReceiptLine[] {
  const prices = pricesFor(list, inputOf(record), record.serviceTier);
  const lines = PRICED_BUCKETS.map(([bucket, price, name]) => lineOf(name, record[bucket], prices[price]));
  for (const [tool, count] of Object.entries(record.toolCalls ?? {})) {
    lines.push(lineOf(`tool:${tool}`, count, list.rules?.tools.get(tool) ?? 0n));
  }
  const used = lines.filter(({ quantity }) => quantity > 0);
  const rest = used.reduce((left, { amount }) => left - amount, charged);
  if (rest === 0n) return used;
  return [...used, lineOf(rest < 0n ? 'written_off' : 'loss_guard', 1, rest)];
}

function lineOf(bucket: string, quantity: number, unitPrice: Nano): ReceiptLine {
  return { bucket, quantity, unitPrice, amount: BigInt(quantity) * unitPrice };
}

interface Priced {
  prices: ListPrices;
}

export interface PaidCall {
  model: Priced;
  /** Models that may answer instead: the highest price counts. */
  candidates: readonly Priced[];
  request: {
    choices: number;
    /** Requested images: their output cannot be cut short, so all of it is held. */
    images: number;
    /** The same of other output. */
    isUncut?: boolean | undefined;
    /** At most so many seconds of audio, characters of text, and searches. */
    seconds?: number | undefined;
    characters?: number | undefined;
    searches?: number | undefined;
    /** Output tokens reserved for thinking: the output must be longer. */
    thinkingBudget: number | undefined;
    /** The service tier that the client names. */
    serviceTier?: string | undefined;
  };
  /** The client prefers a refusal to a lowered thinking budget. */
  isStrict: boolean;
}

export interface HoldTerms {
  /** The input that decides the prices, where it is more than what is held for. */
  wholeInput?: number;
  /** How often tools of the upstream may be called, each and all together. */
  calls?: { byTool: ToolCalls; most: number } | undefined;
}

/**
 * The maximum cost of a call: every input token at the highest input price, every choice at full length, every tool
 * call. `inputTokens` is an upper bound of what any upstream counts; `outputTokens` is what was requested for one
 * choice.
 */
export function holdFor(call: PaidCall, inputTokens: number, outputTokens: number, terms: HoldTerms = {}): HoldRequest {
  const { model, candidates, request, isStrict } = call;
  const { choices, images, thinkingBudget, serviceTier } = request;
  const { seconds = 0, characters = 0, searches = 0 } = request;
  const { wholeInput = inputTokens, calls } = terms;
  let prices = highestPrices(model.prices, wholeInput, serviceTier);
  let fees = calls ? mostFees(model.prices, calls) : 0n;
  for (const candidate of candidates) {
    if (candidate === model) continue;
    prices = higherPrices(prices, highestPrices(candidate.prices, wholeInput, serviceTier));
    if (calls) fees = maxNano(fees, mostFees(candidate.prices, calls));
  }
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output, image, second, character, search } = prices;
  const highestInputPrice = maxNano(input, cachedInput, cacheWrite5m, cacheWrite1h);
  const otherUnits = BigInt(seconds) * second + BigInt(characters) * character + BigInt(searches) * search;
  return {
    base: BigInt(inputTokens) * highestInputPrice + BigInt(images) * image + otherUnits + fees,
    unit: output * BigInt(choices),
    wanted: outputTokens === 0 ? 0 : Math.max(outputTokens, MIN_OUTPUT_TOKENS),
    least: isUncut(request) ? outputTokens : Math.min(outputTokens, leastOutput(thinkingBudget, isStrict)),
  };
}

/** Neither an image nor sound nor a transcript can be cut short. */
export function isUncut({ images, seconds = 0, isUncut = images > 0 || seconds > 0 }: PaidCall['request']): boolean {
  return isUncut;
}

/** All calls of each tool, but no more calls than all together at the highest price. */
function mostFees(list: ListPrices, { byTool, most }: NonNullable<HoldTerms['calls']>): Nano {
  if (!list.rules) return 0n;
  let highest = 0n;
  for (const tool of Object.keys(byTool)) highest = maxNano(highest, list.rules.tools.get(tool) ?? 0n);
  const [each, together] = [feesOf(byTool, list), highest * BigInt(most)];
  return each < together ? each : together;
}
