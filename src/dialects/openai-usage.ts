// Usage in OpenAI's fields as disjoint buckets, whichever vendor reports it. OpenAI counts cached tokens inside the prompt and
// reasoning inside the completion; others count them beside, and then the total shows it. What an upstream reports is not
// trusted: one bad figure and the whole report is invalid.

import { isObject, type Json, type JsonObject } from '../kit/json/json.ts';
import { NO_BUCKETS } from '../store/rows.ts';
import { inputAlone, isGiven, readCount, readDetail, reportedCalls } from './counts.ts';
import type { UsageReport } from './dialect.ts';

/** How the chat format and the responses format name the same figures. */
export interface UsageNames {
  prompt: 'prompt_tokens' | 'input_tokens';
  completion: 'completion_tokens' | 'output_tokens';
  promptDetails: 'prompt_tokens_details' | 'input_tokens_details';
  completionDetails: 'completion_tokens_details' | 'output_tokens_details';
}

/** `tier`: the service tier, which is beside the usage. */
export function readOpenaiUsage(usage: Json | undefined, names: UsageNames, tier: Json | undefined): UsageReport {
  if (usage === undefined || usage === null) return 'absent';
  const figures = isObject(usage) ? readFigures(usage, names) : undefined;
  if (!figures || !isObject(usage)) return 'invalid';
  const report = reportOf(figures);
  if (typeof report !== 'object') return report;
  if (typeof tier === 'string') report.serviceTier = tier;
  const calls = reportedCalls(usage);
  if (calls) report.toolCalls = calls;
  if (report.lacksOutput) return report;
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output } = report.buckets;
  report.isRestated =
    output !== figures.completion ||
    input + cachedInput + cacheWrite5m + cacheWrite1h !== figures.prompt ||
    cachedInput !== readDetail(usage[names.promptDetails], 'cached_tokens');
  report.upstreamCost = readCost(usage.cost);
  return report;
}

/** `completion`: undefined if it is not reported. `writtenForHour`: part of `written` that is kept for an hour. */
function readFigures(usage: JsonObject, names: UsageNames) {
  const promptDetails = detailsOf(usage[names.promptDetails]);
  const completionDetails = detailsOf(usage[names.completionDetails]);
  const prompt = readCount(usage[names.prompt]);
  const completion = readCount(usage[names.completion] ?? 0);
  // DeepSeek, Moonshot, upstreams that pass on what Claude reports, vLLM.
  const cached = firstCount(
    promptDetails.cached_tokens,
    usage.prompt_cache_hit_tokens,
    usage.cached_tokens,
    usage.cache_read_input_tokens,
    usage.num_cached_tokens,
  );
  const written = firstCount(
    promptDetails.cache_write_tokens,
    promptDetails.cache_creation_tokens,
    usage.cache_creation_input_tokens,
  );
  const writtenForHour = readDetail(usage.cache_creation, 'ephemeral_1h_input_tokens');
  const reasoning = firstCount(completionDetails.reasoning_tokens, usage.reasoning_tokens);
  if (prompt === undefined || completion === undefined || cached === undefined) return undefined;
  if (written === undefined || writtenForHour === undefined || reasoning === undefined) return undefined;
  if (writtenForHour > written) return undefined;
  const isReported = isGiven(usage[names.completion]);
  const total = readCount(usage.total_tokens);
  return { prompt, completion: isReported ? completion : undefined, total, cached, written, writtenForHour, reasoning };
}

type Figures = NonNullable<ReturnType<typeof readFigures>>;

/** The first that is not zero: some vendors repeat one figure under several names, or leave the usual one at zero. */
function firstCount(...values: readonly (Json | undefined)[]): number | undefined {
  for (const value of values) {
    const count = readCount(value ?? 0);
    if (count !== 0) return count;
  }
  return 0;
}

function detailsOf(details: Json | undefined): JsonObject {
  return isObject(details) ? details : {};
}

function reportOf(figures: Figures): UsageReport {
  const { cached, written, writtenForHour } = figures;
  const { prompt, output, reasoning } = addBeside(figures);
  const input = prompt - cached - written;
  if (input < 0) return 'invalid';
  const buckets = {
    ...NO_BUCKETS,
    input,
    cachedInput: cached,
    cacheWrite5m: written - writtenForHour,
    cacheWrite1h: writtenForHour,
    output: output ?? 0,
  };
  if (output === undefined) return inputAlone(buckets, reasoning);
  if (reasoning > output) return 'invalid';
  return { buckets, reasoning };
}

/**
 * The prompt with all that was cached, and the output with all reasoning; undefined if it is not reported. Only the total shows
 * which counts are separate. Without a total, or if none matches it, all counts are inclusive.
 */
function addBeside({ prompt, completion, total, cached, written, reasoning }: Figures) {
  if (completion === undefined) {
    const rest = total === undefined || total <= prompt ? undefined : total - prompt;
    return { prompt, output: rest, reasoning };
  }
  const inside = { prompt, output: completion, reasoning };
  const excess = (total ?? 0) - prompt - completion;
  if (excess <= 0) return inside;
  const stored = cached + written;
  if (excess === reasoning) return { ...inside, output: completion + reasoning };
  if (excess === stored) return { ...inside, prompt: prompt + stored };
  if (excess === reasoning + stored) return { prompt: prompt + stored, output: completion + reasoning, reasoning };
  // Gemini's chat counts hidden thoughts in the total and nowhere else.
  return reasoning === 0 && stored === 0 ? { prompt, output: completion + excess, reasoning: excess } : inside;
}

/** OpenRouter's field. No bill depends on it, so an invalid value is ignored. */
function readCost(cost: Json | undefined): number | undefined {
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
}
