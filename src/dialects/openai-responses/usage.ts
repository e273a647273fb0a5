// Usage in the words of the Responses format, as disjoint buckets and back. Cached and written tokens count inside the
// input, reasoning inside the output. One bad figure and the whole report counts as absent.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { NO_BUCKETS } from '../../store/rows.ts';
import { inputAlone, isTold, readCount, readDetail } from '../counts.ts';
import type { ReportedUsage, UsageReport } from '../dialect.ts';

export function readUsage(usage: Json | undefined): UsageReport {
  if (usage === undefined || usage === null) return 'absent';
  if (!isObject(usage)) return 'invalid';
  const input = readCount(usage.input_tokens);
  const output = readCount(usage.output_tokens ?? 0);
  const cached = readDetail(usage.input_tokens_details, 'cached_tokens');
  const written = readDetail(usage.input_tokens_details, 'cache_write_tokens');
  const reasoning = readDetail(usage.output_tokens_details, 'reasoning_tokens');
  if (input === undefined || output === undefined) return 'invalid';
  if (cached === undefined || written === undefined || reasoning === undefined) return 'invalid';
  if (cached + written > input) return 'invalid';
  const alone = input - cached - written;
  const buckets = { ...NO_BUCKETS, input: alone, cachedInput: cached, cacheWrite5m: written, output };
  if (!isTold(usage.output_tokens)) return inputAlone(buckets, reasoning);
  return reasoning > output ? 'invalid' : { buckets, reasoning };
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
