// Counts of an upstream, of tokens and of calls of its own tools: non-negative integers within a plausible range, or undefined.
// Our own where there are none. And the cost beside them.

import { isObject, type Json, type JsonObject } from '../kit/json/json.ts';
import { moneyFields, type Nano } from '../kit/money.ts';
import type { ToolCalls } from '../kit/prices.ts';
import { weighTokens, wholeTokens } from '../kit/tokens.ts';
import { type Buckets, NO_BUCKETS } from '../store/rows.ts';
import { toolOfCall } from '../vendors/tools.ts';
import type { Output, Segment, UsageReport } from './dialect.ts';

const MAX_COUNT = 1_000_000_000;

export function readCount(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : undefined;
}

/** A figure inside an object that may be left out, and then is 0. */
export function readDetail(details: Json | undefined, name: string): number | undefined {
  return isObject(details) ? readCount(details[name] ?? 0) : 0;
}

/** Whether a value reports usage: if so and it cannot be read, the report is invalid. Zeros mean that nothing was counted. */
export function isFigure(value: Json | undefined): boolean {
  return typeof value === 'number' && value !== 0;
}

/** Some vendors bill at least so many seconds. */
const MIN_BILLED = 60;

/** Seconds and searches are bounded by the request: a report of more than twice the bound is impossible. */
export function mostReported(bound = 0): number {
  return 2 * bound + MIN_BILLED;
}

/** Null means unknown, not zero. */
export function isGiven(count: Json | undefined): boolean {
  return count !== undefined && count !== null;
}

/**
 * A report without the output, or with only the thoughts of it. Every prompt takes tokens, so a zero stands for
 * something that was not counted.
 */
export function inputAlone(reported: Buckets, reasoning = 0): UsageReport {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h } = reported;
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
const MIN_COUNTED = 200;

/**
 * A report beside the output that came with it, which has our count where `hasCounted` is false. All zeros count as absent;
 * a placeholder beside a long answer is invalid. While a stream goes on, a small count is only a beginning.
 */
export function checkReport(usage: UsageReport, output: Output, isFinished = true): UsageReport {
  if (typeof usage !== 'object' || !(output.hasContent || output.hasReasoning)) return usage;
  const { buckets, lacksOutput } = usage;
  if (isZero(buckets)) return 'absent';
  if (!isFinished || lacksOutput || buckets.output > PLACEHOLDER_TOKENS) return usage;
  return output.tokens > MIN_COUNTED ? 'invalid' : usage;
}

/** Our careful count, too, may be a few times too high. */
const MAX_OVERCOUNTED = 4;

/**
 * A report after which more output came. It may be of the whole answer, as some upstreams send it first; where that is
 * impossible, our own count is taken. `after`: the output before the report, and the rest by the careful count.
 */
export function addUnreported(
  usage: UsageReport,
  after: { tokensBefore: number; plainTokens: number } | undefined,
): UsageReport {
  if (typeof usage !== 'object' || usage.lacksOutput || !after) return usage;
  const { buckets } = usage;
  const tokens = Math.min(after.tokensBefore, buckets.output) + after.plainTokens;
  if (tokens <= buckets.output * MAX_OVERCOUNTED) return usage;
  return { ...usage, buckets: { ...buckets, output: wholeTokens(tokens) }, isRestated: true };
}

/**
 * A report of an answer that the customer ended, of which this much was delivered by the careful count. An output that is
 * impossible beside that is left out, and counted here; the reported input stays.
 */
export function checkReportOfEnded(usage: UsageReport, plainTokens: number): UsageReport {
  if (typeof usage !== 'object' || usage.lacksOutput || plainTokens <= MIN_COUNTED) return usage;
  if (plainTokens <= usage.buckets.output * MAX_OVERCOUNTED) return usage;
  const alone = inputAlone(usage.buckets, usage.reasoning);
  return typeof alone === 'object' ? { ...usage, ...alone, isImplausible: true } : 'invalid';
}

/** Whether to raise an alarm for the operator. */
export function isInvalid(usage: UsageReport): boolean {
  return usage === 'invalid' || (typeof usage === 'object' && usage.isImplausible === true);
}

/** Zeros mean that nothing was counted. */
export function isZero({ input, cachedInput, cacheWrite5m, cacheWrite1h, output }: Buckets): boolean {
  return input + cachedInput + cacheWrite5m + cacheWrite1h + output === 0;
}

export function weighSegments(segments: readonly Segment[]): number {
  let tokens = 0;
  for (const { text } of segments) tokens += weighTokens(text);
  return tokens;
}

/** The output in segments; `tokens` is 0 if a report counts them. */
export function outputOfSegments(
  segments: readonly Segment[],
  isReasoning: (segment: Segment) => boolean,
  tokens: number,
): Output {
  const output: Output = { hasContent: false, hasReasoning: false, tokens, reasoningTokens: 0, images: 0 };
  for (const segment of segments) {
    if (!isReasoning(segment)) output.hasContent = true;
    else {
      output.hasReasoning = true;
      if (tokens > 0) output.reasoningTokens += weighTokens(segment.text);
    }
  }
  return output;
}

/** One call of a tool that the upstream runs itself, by its name in an answer; undefined if it is of no tool that can have a price. */
export function oneCall(name: string): ToolCalls | undefined {
  const tool = toolOfCall(name);
  return tool && { [tool]: 1 };
}

/** Anthropic's and OpenRouter's counts, then xAI's: `web_search_requests`, `web_search_calls`. */
export function reportedCalls(usage: JsonObject): ToolCalls | undefined {
  return countsIn(usage.server_tool_use, '_requests') ?? countsIn(usage.server_side_tool_usage_details, '_calls');
}

function countsIn(counts: Json | undefined, ending: string): ToolCalls | undefined {
  if (!isObject(counts)) return undefined;
  const calls: Record<string, number> = {};
  for (const [name, value] of Object.entries(counts)) {
    const tool = name.endsWith(ending) ? toolOfCall(name.slice(0, -ending.length)) : undefined;
    const count = readCount(value);
    if (tool && count !== undefined) calls[tool] = count;
  }
  return calls;
}

/** Edits a usage object that an upstream or we have written. */
export function withCost(usage: JsonObject, cost: Nano | undefined): JsonObject {
  return cost === undefined ? usage : { ...usage, ...moneyFields('cost', cost) };
}
