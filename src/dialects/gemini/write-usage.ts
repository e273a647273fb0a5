// Usage in Google's fields. Cached tokens are inside the prompt, thoughts are counted beside the answer.

import type { JsonObject } from '../../kit/json/json.ts';
import type { ReportedUsage } from '../dialect.ts';

export function writeUsage({ buckets, reasoning }: ReportedUsage): JsonObject {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output } = buckets;
  const prompt = input + cachedInput + cacheWrite5m + cacheWrite1h;
  return {
    promptTokenCount: prompt,
    ...(cachedInput > 0 ? { cachedContentTokenCount: cachedInput } : {}),
    candidatesTokenCount: output - reasoning,
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: prompt + output,
  };
}
