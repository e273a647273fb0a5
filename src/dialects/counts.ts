// Figures that an upstream reports: whole, not negative, not absurd; or undefined. And ours, where it reports none.

import { isObject, type Json } from '../kit/json/json.ts';
import { weighTokens, wholeTokens } from '../kit/tokens.ts';
import { type Buckets, NO_BUCKETS } from '../store/rows.ts';
import type { Output, Piece, UsageReport } from './dialect.ts';

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

/** The upstream has counted the output, and its count needs no check against ours. */
export function hasCounted(usage: UsageReport): boolean {
  return typeof usage === 'object' && !usage.lacksOutput && usage.buckets.output > PLACEHOLDER_TOKENS;
}

/**
 * Some upstreams put 0 or 1 where they have not counted. Two real tokens are at most a few hundred spaces or dashes, which
 * is less than 200 tokens by our count. A rule by proportion would not be safe: an image that stands as base64 in a text
 * has far more letters than tokens, and so have long runs of one character.
 */
const PLACEHOLDER_TOKENS = 2;
const LEAST_COUNTED = 200;

/**
 * A report beside the output that came with it, which has our count where `hasCounted` is false. All zeros count as absent;
 * a placeholder beside a long answer is invalid. While a stream goes on, a small count is only a beginning.
 */
export function checkReport(usage: UsageReport, output: Output, isFinished = true): UsageReport {
  if (typeof usage !== 'object' || !(output.hasContent || output.hasReasoning)) return usage;
  const { buckets, lacksOutput } = usage;
  if (isZero(buckets)) return 'absent';
  if (!isFinished || lacksOutput || buckets.output > PLACEHOLDER_TOKENS) return usage;
  return output.tokens > LEAST_COUNTED ? 'invalid' : usage;
}

/** Tokenizers count more than others by less than this. */
const TOKENIZER_SHARE = 1.3;

/**
 * A report after which more output came. It may be of the whole answer, as some upstreams send it first; where all that came is
 * clearly more than it says, our own count of that is taken.
 */
export function addUnreported(usage: UsageReport, tokens: number, tokensAfter: number): UsageReport {
  if (typeof usage !== 'object' || usage.lacksOutput || tokensAfter < 1) return usage;
  const { buckets } = usage;
  if (tokens <= buckets.output * TOKENIZER_SHARE) return usage;
  return { ...usage, buckets: { ...buckets, output: wholeTokens(tokens) }, isRestated: true };
}

/** Our count of tables or white space is a few times too high. */
const MOST_OVERCOUNTED = 4;

/**
 * The same for an answer that the customer's side ended, of which this many tokens were seen. Where we doubt the report, such an
 * answer is billed by our own count, as it is without a report.
 */
export function checkReportOfEnded(usage: UsageReport, seenTokens: number): UsageReport {
  if (typeof usage !== 'object' || usage.lacksOutput || seenTokens <= LEAST_COUNTED) return usage;
  return seenTokens > usage.buckets.output * MOST_OVERCOUNTED ? 'invalid' : usage;
}

function isZero({ input, cachedInput, cacheWrite5m, cacheWrite1h, output }: Buckets): boolean {
  return input + cachedInput + cacheWrite5m + cacheWrite1h + output === 0;
}

export function weighPieces(pieces: readonly Piece[]): number {
  let tokens = 0;
  for (const { text } of pieces) tokens += weighTokens(text);
  return tokens;
}
