// Usage in OpenAI's fields: read, also which of several reports in a stream counts, and written as a pure function of the
// buckets, or as an upstream's own, corrected.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import type { ReportedUsage, UsageReport } from '../dialect.ts';
import { readOpenaiUsage, type UsageNames } from '../openai-usage.ts';

const NAMES: UsageNames = {
  prompt: 'prompt_tokens',
  completion: 'completion_tokens',
  promptDetails: 'prompt_tokens_details',
  completionDetails: 'completion_tokens_details',
};

/** `tier`: the service tier, which is beside the usage. */
export function readUsage(usage: Json | undefined, tier?: Json): UsageReport {
  return readOpenaiUsage(usage, NAMES, tier);
}

/** Chooses between two reports in one stream: the later one, unless it lacks figures of the earlier one. */
export function betterUsage(earlier: UsageReport, later: UsageReport): UsageReport {
  return fullness(later) < fullness(earlier) ? earlier : later;
}

function fullness(report: UsageReport): number {
  if (report === 'absent') return 0;
  return typeof report === 'object' && report.lacksOutput ? 1 : 2;
}

export function writeUsage({ buckets, reasoning }: ReportedUsage): JsonObject {
  const written = buckets.cacheWrite5m + buckets.cacheWrite1h;
  const prompt = buckets.input + buckets.cachedInput + written;
  return {
    prompt_tokens: prompt,
    completion_tokens: buckets.output,
    total_tokens: prompt + buckets.output,
    prompt_tokens_details: { cached_tokens: buckets.cachedInput, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** An upstream's usage with our figures where it counts differently. The rest of it stays, known to us or not. */
export function restateUsage(reported: Json | undefined, billed: ReportedUsage): JsonObject {
  const ours = writeUsage(billed);
  if (!isObject(reported)) return ours;
  const restated = { ...reported };
  for (const name of ['prompt_tokens', 'completion_tokens'] as const) {
    if (reported[name] === ours[name]) continue;
    restated[name] = ours[name];
    restated.total_tokens = ours.total_tokens;
  }
  restateDetail(restated, 'prompt_tokens_details', 'cached_tokens', billed.buckets.cachedInput);
  restateDetail(restated, 'completion_tokens_details', 'reasoning_tokens', billed.reasoning);
  return restated;
}

function restateDetail(usage: JsonObject, outer: string, name: string, count: number): void {
  const details = isObject(usage[outer]) ? usage[outer] : {};
  if ((details[name] ?? 0) !== count) usage[outer] = { ...details, [name]: count };
}
