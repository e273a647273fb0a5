// The usage of the Responses format as disjoint buckets, and back.

import type { Json, JsonObject } from '../../kit/json/json.ts';
import type { ReportedUsage, UsageReport } from '../dialect.ts';
import { readOpenaiUsage, type UsageNames } from '../openai-usage.ts';

const NAMES: UsageNames = {
  prompt: 'input_tokens',
  completion: 'output_tokens',
  promptDetails: 'input_tokens_details',
  completionDetails: 'output_tokens_details',
};

/** `tier`: the service tier, which is beside the usage. */
export function readUsage(usage: Json | undefined, tier?: Json): UsageReport {
  return readOpenaiUsage(usage, NAMES, tier);
}

export function writeUsage({ buckets, reasoning }: ReportedUsage): JsonObject {
  const written = buckets.cacheWrite5m + buckets.cacheWrite1h;
  const input = buckets.input + buckets.cachedInput + written;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: buckets.cachedInput, cache_write_tokens: written },
    output_tokens: buckets.output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + buckets.output,
  };
}
