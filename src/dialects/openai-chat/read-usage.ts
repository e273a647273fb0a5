// OpenAI's usage as disjoint buckets. OpenAI counts cached tokens inside the prompt and reasoning inside the completion.
// What an upstream reports is not trusted: one bad figure and the whole report counts as absent.

import { isObject, type Json, type JsonObject } from '../../kit/json.ts';
import { NO_BUCKETS } from '../../store/rows.ts';
import type { UsageReport } from '../dialect.ts';

const MAX_COUNT = 1_000_000_000;

export function readUsage(usage: Json | undefined): UsageReport {
  if (usage === undefined || usage === null) return 'absent';
  if (!isObject(usage)) return 'invalid';
  const prompt = count(usage.prompt_tokens);
  const completion = count(usage.completion_tokens ?? 0);
  const cached = detail(usage.prompt_tokens_details, 'cached_tokens');
  const written = detail(usage.prompt_tokens_details, 'cache_write_tokens');
  const reasoning = detail(usage.completion_tokens_details, 'reasoning_tokens');
  if (prompt === undefined || completion === undefined) return 'invalid';
  if (cached === undefined || written === undefined || reasoning === undefined) return 'invalid';
  if (cached + written > prompt || reasoning > completion) return 'invalid';
  return {
    buckets: {
      ...NO_BUCKETS,
      input: prompt - cached - written,
      cachedInput: cached,
      cacheWrite5m: written,
      output: completion,
    },
    reasoning,
  };
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : undefined;
}

function detail(details: Json | undefined, name: string): number | undefined {
  return isObject(details) ? count((details as JsonObject)[name] ?? 0) : 0;
}
