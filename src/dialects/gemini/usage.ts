// Gemini's usage as disjoint buckets. Cached tokens are inside the prompt, tool results and thoughts are counted beside. The
// vendor omits counts of zero, so an absent count may be zero or unknown; an explicit zero is zero.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { NO_BUCKETS } from '../../store/rows.ts';
import { inputAlone, isGiven, readCount } from '../counts.ts';
import type { ReportedUsage, UsageReport } from '../dialect.ts';

/** `hasContent`: the answer has text or calls. A report without their count has only the input and the thoughts. */
export function readUsage(usage: Json | undefined, hasContent: boolean): UsageReport {
  if (usage === undefined || usage === null) return 'absent';
  if (!isObject(usage)) return 'invalid';
  const prompt = readCount(usage.promptTokenCount ?? 0);
  const toolUse = readCount(usage.toolUsePromptTokenCount ?? 0);
  const cached = readCount(usage.cachedContentTokenCount ?? 0);
  const thoughts = readCount(usage.thoughtsTokenCount ?? 0);
  if (prompt === undefined || toolUse === undefined || cached === undefined || thoughts === undefined) return 'invalid';
  const candidates = readCount(
    usage.candidatesTokenCount ?? restOf(usage.totalTokenCount, prompt + toolUse + thoughts),
  );
  if (candidates === undefined || cached > prompt + toolUse) return 'invalid';
  const hasInput = isGiven(usage.promptTokenCount) || isGiven(usage.toolUsePromptTokenCount);
  const hasOutput = isGiven(usage.candidatesTokenCount) || candidates > 0 || !hasContent;
  if (!hasInput) return 'absent';
  const input = { ...NO_BUCKETS, input: prompt + toolUse - cached, cachedInput: cached };
  if (!hasOutput) return inputAlone(input, thoughts);
  return { buckets: { ...input, output: candidates + thoughts }, reasoning: thoughts };
}

/** The answer's part of the total, where the vendor forgot to count it. */
function restOf(total: Json | undefined, counted: number): number {
  return Math.max(0, (readCount(total ?? 0) ?? 0) - counted);
}

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
