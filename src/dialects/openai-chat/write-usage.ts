// Usage in OpenAI's words: a pure function of the buckets, with the cost beside it.

import type { Json, JsonObject } from '../../kit/json.ts';
import { moneyFields, type Nano } from '../../kit/money.ts';
import type { ReportedUsage } from '../dialect.ts';

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

/** Adds the cost to a usage object that an upstream or we have written. */
export function withCost(usage: JsonObject, cost: Nano | undefined): Json {
  return cost === undefined ? usage : { ...usage, ...moneyFields('cost', cost) };
}
