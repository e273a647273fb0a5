// OpenAI's usage as disjoint buckets. OpenAI counts cached tokens inside the prompt and reasoning inside the completion.
// What an upstream reports is not trusted: one bad figure and the whole report counts as absent.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import type { Quirks } from '../../kit/quirks.ts';
import { NO_BUCKETS } from '../../store/rows.ts';
import { inputAlone, isTold, readCount, readDetail } from '../counts.ts';
import type { UsageReport } from '../dialect.ts';

export function readUsage(usage: Json | undefined, quirks?: Quirks): UsageReport {
  if (usage === undefined || usage === null) return 'absent';
  if (!isObject(usage)) return 'invalid';
  const prompt = readCount(usage.prompt_tokens);
  const hasCompletion = isTold(usage.completion_tokens);
  const told = readCount(usage.completion_tokens ?? 0);
  const hits = quirks?.countsCacheHits ? readCount(usage.prompt_cache_hit_tokens ?? 0) : 0;
  const details = readDetail(usage.prompt_tokens_details, 'cached_tokens');
  const cached = details === 0 ? hits : details;
  const written = readDetail(usage.prompt_tokens_details, 'cache_write_tokens');
  const reasoning = readDetail(usage.completion_tokens_details, 'reasoning_tokens');
  if (prompt === undefined || told === undefined) return 'invalid';
  if (cached === undefined || written === undefined || reasoning === undefined) return 'invalid';
  const apart = quirks?.countsReasoningApart ? reasoning : 0;
  const completion = hasCompletion ? told + apart : restOf(usage, prompt);
  if (cached + written > prompt) return 'invalid';
  const input = prompt - cached - written;
  const output = completion ?? 0;
  const buckets = { ...NO_BUCKETS, input, cachedInput: cached, cacheWrite5m: written, output };
  if (completion === undefined) return inputAlone(buckets, reasoning);
  if (reasoning > completion) return 'invalid';
  return {
    buckets,
    reasoning,
    isRestated: !hasCompletion || completion !== told || cached !== details,
    upstreamCost: readCost(usage.cost),
  };
}

/** OpenRouter's word. No bill depends on it, so that a strange one is only left out. */
function readCost(cost: Json | undefined): number | undefined {
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
}

/** Of two reports in one stream: the later one, unless it leaves out what the earlier one told. */
export function betterUsage(earlier: UsageReport, later: UsageReport): UsageReport {
  return fullness(later) < fullness(earlier) ? earlier : later;
}

function fullness(report: UsageReport): number {
  if (report === 'absent') return 0;
  return typeof report === 'object' && report.lacksOutput ? 1 : 2;
}

/** What the total leaves for the completion, where that was not counted by itself. If it leaves nothing, nothing was counted. */
function restOf({ total_tokens }: JsonObject, prompt: number): number | undefined {
  const total = readCount(total_tokens);
  return total === undefined || total <= prompt ? undefined : total - prompt;
}
