// Calls of tools that an upstream runs itself, as its answers show them and its reports count them.

import { isObject, type Json, type JsonObject } from '../kit/json/json.ts';
import type { ToolCalls } from '../kit/prices.ts';
import { toolOfCall } from '../vendors/tools.ts';
import { readCount } from './counts.ts';

/** One call, by its name in an answer; undefined if it is of no tool that can have a price. */
export function oneCall(name: string): ToolCalls | undefined {
  const tool = toolOfCall(name);
  return tool && { [tool]: 1 };
}

/** Anthropic's and OpenRouter's counts, then xAI's: `web_search_requests`, `web_search_calls`. */
export function reportedCalls(usage: JsonObject): ToolCalls | undefined {
  return countsIn(usage.server_tool_use, '_requests') ?? countsIn(usage.server_side_tool_usage_details, '_calls');
}

function countsIn(counts: Json | undefined, ending: string): ToolCalls | undefined {
  if (!isObject(counts)) return undefined;
  const calls: Record<string, number> = {};
  for (const [name, value] of Object.entries(counts)) {
    const tool = name.endsWith(ending) ? toolOfCall(name.slice(0, -ending.length)) : undefined;
    const count = readCount(value);
    if (tool && count !== undefined) calls[tool] = count;
  }
  return calls;
}
