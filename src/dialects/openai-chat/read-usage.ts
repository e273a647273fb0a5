// Usage of a chat answer, and which of several reports in a stream counts.

import type { Json } from '../../kit/json/json.ts';
import type { UsageReport } from '../dialect.ts';
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
