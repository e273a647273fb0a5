// Figures that an upstream reports: whole, not negative, not absurd; or undefined. And ours, where it reports none.

import { isObject, type Json } from '../kit/json/json.ts';
import { weighTokens } from '../kit/tokens.ts';
import { type Buckets, NO_BUCKETS } from '../store/rows.ts';
import type { Piece, UsageReport } from './dialect.ts';

const MAX_COUNT = 1_000_000_000;

export function readCount(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : undefined;
}

/** A figure inside an object that may be left out, and then is 0. */
export function readDetail(details: Json | undefined, name: string): number | undefined {
  return isObject(details) ? readCount(details[name] ?? 0) : 0;
}

/** Null says nothing, not zero. */
export function isTold(count: Json | undefined): boolean {
  return count !== undefined && count !== null;
}

/**
 * Of a report that leaves out the output, or all of it but the thoughts. No prompt takes nothing: a zero there stands for
 * what was not counted.
 */
export function inputAlone(told: Buckets, reasoning = 0): UsageReport {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h } = told;
  if (input + cachedInput + cacheWrite5m + cacheWrite1h === 0) return 'absent';
  const buckets = { ...NO_BUCKETS, input, cachedInput, cacheWrite5m, cacheWrite1h, output: reasoning };
  return { buckets, reasoning, lacksOutput: true };
}

/** Where the upstream has counted the output, nobody asks for our count. */
export function hasCounted(usage: UsageReport): boolean {
  return typeof usage === 'object' && !usage.lacksOutput;
}

export function weighPieces(pieces: readonly Piece[]): number {
  let tokens = 0;
  for (const { text } of pieces) tokens += weighTokens(text);
  return tokens;
}
