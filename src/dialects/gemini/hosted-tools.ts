// Tools that Google runs: their names in prices, the input that they may add, and how often an answer shows that they were
// used.

import { isObject, type JsonObject, objectsOf } from '../../kit/json/json.ts';
import type { ToolCalls } from '../../kit/prices.ts';
import type { PricedTool } from '../../vendors/tools.ts';
import {
  addUse,
  DEFAULT_USES,
  NO_USE,
  searchTokens,
  type ToolUse,
  typicalTokens,
  unlimitedUse,
  useOf,
} from '../input/tool-use.ts';
import { member } from './member.ts';

const SEARCH = 'web_search';

/** By the member of a tool. */
const HOSTED: ReadonlyMap<string, PricedTool> = new Map([
  ['googleSearch', SEARCH],
  ['urlContext', 'web_fetch'],
  ['codeExecution', 'code_execution'],
]);

export function hostedTools({ tools }: JsonObject): PricedTool[] {
  const list = isObject(tools) ? [tools] : objectsOf(tools);
  return [...HOSTED].flatMap(([name, tool]) => (list.some((one) => member(one, name) !== undefined) ? [tool] : []));
}

/** No field of a request says how often they may be used. */
export function hostedUse(body: JsonObject): ToolUse {
  return hostedTools(body)
    .map((tool) => (tool === SEARCH ? useOf(tool, DEFAULT_USES, searchTokens(undefined)) : unlimitedUse(tool)))
    .reduce(addUse, NO_USE);
}

/** Counts uses over the chunks of an answer. */
export class HostedCalls {
  readonly #used = { [SEARCH]: 0, web_fetch: 0, code_execution: 0 };

  /** A later chunk can repeat the searches and fetches. */
  add({ groundingMetadata: grounding, urlContextMetadata: context, content }: JsonObject): void {
    if (isObject(grounding)) this.#used[SEARCH] = Math.max(this.#used[SEARCH], searchesIn(grounding));
    if (isObject(context)) this.#used.web_fetch = Math.max(this.#used.web_fetch, objectsOf(context.urlMetadata).length);
    if (!isObject(content)) return;
    for (const part of objectsOf(content.parts)) if (isObject(part.executableCode)) this.#used.code_execution++;
  }

  /** For the output of the answer. */
  facts(): { toolCalls?: ToolCalls; toolInput?: number } {
    const calls = Object.entries(this.#used).filter(([, count]) => count > 0);
    if (calls.length === 0) return {};
    return {
      toolCalls: Object.fromEntries(calls),
      toolInput: calls.reduce((sum, [tool, count]) => sum + count * typicalTokens(tool), 0),
    };
  }
}

/** Sources without a query come from one search. */
function searchesIn({ webSearchQueries: queries, groundingChunks: chunks }: JsonObject): number {
  if (Array.isArray(queries) && queries.length > 0) return queries.length;
  return Array.isArray(chunks) && chunks.length > 0 ? 1 : 0;
}
